// What a module sees as globals; the table in api.go names the same.
const globals = {
  AbortController, AbortSignal, Blob, Buffer, Bun, DOMException, Event, EventTarget, Headers, Request, Response,
  TextDecoder, TextEncoder, URL, URLSearchParams, atob, btoa, clearImmediate: clearTimer, clearInterval: clearTimer,
  clearTimeout: clearTimer, console, crypto, fetch, global: globalThis, performance, process, queueMicrotask,
  setImmediate, setInterval, setTimeout, structuredClone,
};
for (const name of Object.keys(globals)) define(globalThis, name, globals[name]);

define(globalThis, '__gongu_import', (name) => modules[name]);
define(globalThis, '__gongu_guarded', (name) => (name === 'process' ? process : guard('node:' + name, modules[name])));

// describe takes apart what was thrown. Fields that are not strings are no
// fields of ours.
function describe(e) {
  const out = {};
  if (e !== null && typeof e === 'object') {
    const read = (key) => {
      try {
        const value = e[key];
        return typeof value === 'string' ? value : undefined;
      } catch {
        return undefined;
      }
    };
    for (const key of ['message', 'name', 'code', 'suggestion', 'helpUrl', 'stack']) {
      const value = read(key);
      if (value !== undefined) out[key] = value;
    }
    if (!(e instanceof Error)) {
      out.name ??= 'UnknownError';
      if (!out.message) {
        try {
          out.message = stringify(e);
        } catch {
          out.message = Object.prototype.toString.call(e);
        }
      }
    }
    return out;
  }
  try {
    return { message: String(e), name: 'UnknownError' };
  } catch {
    return { message: typeof e, name: 'UnknownError' };
  }
}

class Unfit extends Error {}

function replacer(key, value) {
  switch (typeof value) {
    case 'undefined': return null;
    case 'function': case 'symbol': case 'bigint': throw new Unfit();
    default: return value;
  }
}

// encode writes a result as JSON. What JSON cannot carry is refused, with the
// place where it is.
function encode(value) {
  try {
    return stringify(value, replacer);
  } catch (e) {
    const found = unfit(value, 'output', []);
    if (found) {
      const error = new TypeError(ask('unfit', found.join('\n')));
      define(error, 'stack', '');
      throw error;
    }
    throw e;
  }
}

function unfit(value, at, parents) {
  if (typeof value === 'function') return [at, 'function'];
  if (typeof value === 'symbol') return [at, 'symbol'];
  if (typeof value === 'bigint') return [at, 'bigint'];
  if (typeof value !== 'object' || value === null) return undefined;
  if (parents.includes(value)) return [at, 'cycle'];
  if (typeof value.toJSON === 'function') return unfit(value.toJSON(), at, [...parents, value]);
  for (const key of Object.keys(value)) {
    const step = Array.isArray(value) ? '[' + key + ']' : /^[A-Za-z_$][\w$]*$/.test(key) ? '.' + key : '[' + stringify(key) + ']';
    const found = unfit(value[key], at + step, [...parents, value]);
    if (found) return found;
  }
  return undefined;
}

let handlers = {};
let controller;

// load looks for the handlers of a module that was just run.
function load() {
  const exported = globalThis.__gongu_module;
  const found = exported?.handlers ?? exported?.default?.handlers;
  if (found === null || typeof found !== 'object') return '';
  handlers = found;
  return stringify(Object.keys(found).filter((key) => typeof found[key] === 'function'));
}

function agents(operation, params) {
  return run('agents', { operation, params }).then((text) => (text === '' ? null : parse(text)));
}

function makeContext(message, agentName, instanceKey, turnId, traceId, toolCallId, workdir, swarm) {
  let parsed;
  const ctx = {
    agentName,
    instanceKey,
    turnId,
    traceId,
    toolCallId,
    get message() {
      if (parsed === undefined) {
        parsed = message === '' ? null : parse(message);
        if (typeof parsed?.createdAt === 'string') parsed.createdAt = new Date(parsed.createdAt);
      }
      return parsed;
    },
    workdir,
    logger: console,
    get abortSignal() {
      return (controller ??= new AbortController()).signal;
    },
  };
  if (swarm) {
    ctx.runtime = {
      request: (target, event, options) => agents('request', { target, event, options }),
      send: (target, event) => agents('send', { target, event }),
      spawn: (target, options) => agents('spawn', { target, options }),
      list: (options) => agents('list', { options }),
      catalog: () => agents('catalog', {}),
    };
  }
  return ctx;
}

const failed = (e) => '-' + stringify(describe(e));

function answer(value) {
  try {
    return '+' + encode(value);
  } catch (e) {
    return failed(e);
  }
}

// invoke calls a handler. The answer is the result, or empty when it comes
// later.
function invoke(name, input, message, agentName, instanceKey, turnId, traceId, toolCallId, workdir, swarm) {
  let value;
  controller = undefined;
  try {
    value = handlers[name](makeContext(message, agentName, instanceKey, turnId, traceId, toolCallId, workdir, swarm), parse(input));
    if (value === null || typeof value !== 'object' || typeof value.then !== 'function') return answer(value);
  } catch (e) {
    return failed(e);
  }
  Promise.resolve(value).then((v) => host('done', answer(v)), (e) => host('done', failed(e)));
  return '';
}

// abort tells the handler that its call is over.
function abort(why) {
  controller ??= new AbortController();
  controller.abort(why === 'timeout' ? new DOMException('The call took too long.', 'TimeoutError') : undefined);
  return '';
}

// reset forgets what a call left behind.
function reset() {
  waiting.clear();
  timers.clear();
  controller = undefined;
  return '';
}

globalThis.__gongu_entries = { invoke, settle, abort, reset, load };
