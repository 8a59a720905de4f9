// What code finds around it, after 10_core.js, 20_events.js and 80_encode.js of
// the shim. All of it is convenience: the host decides which tools there are,
// how often they may be called and when the code must end.
const own = Object.create(null);

const tools = new Proxy(own, {
  get(target, key) {
    if (typeof key === 'symbol' || key === 'then' || key === 'toJSON') return undefined;
    const found = own[key];
    if (found) return found;
    throw missing(key);
  },
  set(target, key) {
    throw new TypeError('tools cannot be changed');
  },
});

function missing(key) {
  try {
    return new Error(ask('noTool', key));
  } catch (e) {
    return e;
  }
}

function call(name, args) {
  const [input] = args;
  if (args.length > 1 || (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input)))) {
    throw new TypeError(ask('arguments', ''));
  }
  const text = input === undefined ? '{}' : written(input);
  const { stack } = new Error();
  return new Promised((resolve, reject) => {
    begin('tool', name + '\n' + text, (answer) => resolve(answer === '' ? null : parse(answer)), (e) => reject(hostError(e, stack)));
  });
}

function written(input) {
  try {
    return stringify(input, replacer);
  } catch (e) {
    const found = unfit(input, 'args', []);
    throw found ? new TypeError(ask('unfitArgs', found.join('\n'))) : e;
  }
}

const globals = {
  clearImmediate: clearTimer, clearInterval: clearTimer, clearTimeout: clearTimer, console, queueMicrotask,
  setImmediate, setInterval, setTimeout, structuredClone, tools,
};
for (const name of Object.keys(globals)) define(globalThis, name, globals[name]);

// load takes the names of the tools, and the code out of reach of itself.
let main;
function load() {
  main = globalThis.__gongu_code;
  delete globalThis.__gongu_code;
  for (const name of parse(ask('tools', ''))) own[name] = (...args) => call(name, args);
  Object.freeze(own);
  return typeof main === 'function' ? '["run"]' : '';
}

const failed = (e) => '-' + stringify(describe(e));

function answer(value) {
  try {
    return '+' + encode(value);
  } catch (e) {
    return failed(e);
  }
}

const Promised = Promise;
const { resolve } = Promised;
const { then } = Promised.prototype;
const { apply } = Reflect;

function invoke() {
  let value;
  try {
    value = main();
  } catch (e) {
    return failed(e);
  }
  apply(then, apply(resolve, Promised, [value]), [(v) => host('done', answer(v)), (e) => host('done', failed(e))]);
  return '';
}

function reset() {
  waiting.clear();
  timers.clear();
  return '';
}

globalThis.__gongu_entries = { invoke, settle, abort: () => '', reset, load };
