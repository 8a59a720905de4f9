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

const ownSignal = () => (controller ??= new AbortController()).signal;

function agents(operation, params) {
  return run('agents', { operation, params }).then((text) => (text === '' ? null : parse(text)));
}

function makeContext(message, agentName, instanceKey, turnId, traceId, toolCallId, workdir, swarm, signal = ownSignal) {
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
      return signal();
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

// The engine throws null when there is no room left for an Error.
const noRoom = '-{"name":"InternalError","message":"out of memory"}';
const failed = (e) => (e === null ? noRoom : '-' + stringify(describe(e)));

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
