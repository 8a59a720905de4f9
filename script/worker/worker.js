// The worker runs one module in bun or node. It speaks lines of JSON on the
// descriptors 3 and 4, so that whatever the module prints is out of the way.
// What stands before this text is shim/80_encode.js.
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { AsyncLocalStorage } = require('node:async_hooks');
const { format } = require('node:util');

const calls = new Map();
const asked = new Map();
const current = new AsyncLocalStorage();
let handlers = {};
let root = '';
let maxOutput = 0;
let lastAsk = 0;

// send writes all of a line. The pipe blocks, which is right: who does not
// read us must not make us grow.
function send(text) {
  const bytes = Buffer.from(text + '\n');
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(4, bytes, at);
    } catch (e) {
      if (e.code !== 'EAGAIN') process.exit(1);
    }
  }
}

const say = (message) => send(stringify(message));

// logger prints through the host, for the call that it is used in.
function logger() {
  const out = {};
  for (const level of ['debug', 'info', 'log', 'warn', 'error']) {
    out[level] = (...args) => say({ t: 'log', id: current.getStore()?.id, level, text: format(...args) });
  }
  return out;
}
const out = logger();
const printed = new Proxy(globalThis.console, {
  get(target, key, receiver) {
    return { ...out, trace: out.debug, dir: out.log, table: out.log }[key] ?? Reflect.get(target, key, receiver);
  },
});
Object.defineProperty(globalThis, 'console', { value: printed, writable: true, configurable: true, enumerable: false });

const uncaught = (e) => say({ t: 'log', id: current.getStore()?.id, level: 'warn', text: 'a callback of a script failed: ' + (e?.stack ?? String(e)) });
process.on('uncaughtException', uncaught);
process.on('unhandledRejection', () => {});

// unfit values are worded by the host.
class Unfitting {
  constructor(text) {
    this.text = text;
  }
}
function ask(op, text) {
  throw new Unfitting(text);
}
function define(object, key, value) {
  Object.defineProperty(object, key, { value, writable: true, configurable: true, enumerable: false });
}

// place is where in the module's own files an error comes from.
function place(stack) {
  for (const line of String(stack ?? '').split('\n')) {
    const found = /\(?((?:file:\/\/)?\/[^()]*?):(\d+)(?::\d+)?\)?$/.exec(line.trim());
    if (!found) continue;
    const file = found[1].replace(/^file:\/\//, '').replace(/^at /, '');
    if (file.startsWith(root + path.sep)) return path.relative(root, file).split(path.sep).join('/') + ':' + found[2];
  }
  return undefined;
}

function failure(e) {
  const error = describe(e);
  const at = place(error.stack);
  // Lines of other files would be taken for lines of the module.
  error.stack = String(error.stack ?? '').split('\n').filter((line) => line.includes('<module>:')).join('\n');
  return { error, at };
}

function answer(id, value) {
  let text;
  try {
    text = encode(value);
  } catch (e) {
    return say({ t: 'result', id, ...(e instanceof Unfitting ? { unfit: e.text } : failure(e)) });
  }
  const size = Buffer.byteLength(text);
  if (size > maxOutput) return say({ t: 'result', id, size });
  return send('{"t":"result","id":' + id + ',"value":' + text + '}');
}

function agents(id, operation, params) {
  return new Promise((resolve, reject) => {
    const n = ++lastAsk;
    asked.set(n, { resolve, reject });
    say({ t: 'ask', id, n, op: 'agents', text: stringify({ operation, params }) });
  });
}

function settle(m) {
  const waiting = asked.get(m.n);
  asked.delete(m.n);
  if (!waiting) return;
  if (m.ok) return waiting.resolve(m.text ? parse(m.text) : null);
  const e = parse(m.text);
  const error = Object.assign(new Error(e.message), e);
  if (e.name) define(error, 'name', e.name);
  waiting.reject(error);
}

function makeContext(id, known, controller) {
  let parsed;
  const ctx = {
    agentName: known.agentName,
    instanceKey: known.instanceKey,
    turnId: known.turnId,
    traceId: known.traceId,
    toolCallId: known.toolCallId,
    get message() {
      if (parsed === undefined) {
        parsed = known.message ?? null;
        if (typeof parsed?.createdAt === 'string') parsed.createdAt = new Date(parsed.createdAt);
      }
      return parsed;
    },
    workdir: known.workdir,
    logger: console,
    abortSignal: controller.signal,
  };
  if (known.swarm) {
    ctx.runtime = {
      request: (target, event, options) => agents(id, 'request', { target, event, options }),
      send: (target, event) => agents(id, 'send', { target, event }),
      spawn: (target, options) => agents(id, 'spawn', { target, options }),
      list: (options) => agents(id, 'list', { options }),
      catalog: () => agents(id, 'catalog', {}),
    };
  }
  return ctx;
}

async function call(m) {
  const controller = new AbortController();
  calls.set(m.id, controller);
  await current.run({ id: m.id }, async () => {
    try {
      answer(m.id, await handlers[m.export](makeContext(m.id, m.ctx, controller), m.args));
    } catch (e) {
      say({ t: 'result', id: m.id, ...failure(e) });
    }
  });
  calls.delete(m.id);
}

function abort(m) {
  say({ t: 'ack', id: m.id });
  const reason = m.text === 'timeout' ? new DOMException('The call took too long.', 'TimeoutError') : undefined;
  calls.get(m.id)?.abort(reason);
}

async function load(order) {
  root = order.root;
  maxOutput = order.maxOutput;
  const file = path.join(root, order.path);
  let exported;
  if (order.source) {
    const vm = require('node:vm');
    const { createRequire } = require('node:module');
    const module = { exports: {} };
    const run = vm.compileFunction(order.source, ['require', 'module', 'exports', '__filename', '__dirname'], {
      filename: '<module>',
      importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    run(createRequire(file), module, module.exports, file, path.dirname(file));
    exported = module.exports;
  } else {
    exported = await import(pathToFileURL(file).href);
  }
  const found = exported?.handlers ?? exported?.default?.handlers;
  if (found === null || typeof found !== 'object') return say({ t: 'failed', missing: true });
  handlers = found;
  return say({ t: 'ready', handlers: Object.keys(found).filter((key) => typeof found[key] === 'function') });
}

function take(m) {
  switch (m.t) {
    case 'load':
      return load(m.load).catch((e) => say({ t: 'failed', text: (place(e?.stack) ? place(e.stack) + ': ' : '') + (e?.name ?? 'Error') + ': ' + (e?.message ?? String(e)) }));
    case 'call': return call(m);
    case 'abort': return abort(m);
    case 'answer': return settle(m);
  }
  return undefined;
}

let rest = '';
const input = fs.createReadStream('', { fd: 3, autoClose: false, encoding: 'utf8' });
input.on('data', (part) => {
  const lines = (rest + part).split('\n');
  rest = lines.pop();
  for (const line of lines) take(parse(line));
});
input.on('end', () => process.exit(0));
input.on('error', () => process.exit(1));
