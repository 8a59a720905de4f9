// The shim is what a module finds around it: everything below is one function,
// run once in a new VM before the module. host asks the Go side and waits,
// start begins work there whose end settle reports.
const host = globalThis.__gongu_host;
const start = globalThis.__gongu_start;
delete globalThis.__gongu_host;
delete globalThis.__gongu_start;

const { stringify, parse } = JSON;
const native = { Error, TypeError, RangeError, SyntaxError, ReferenceError };

// hostError makes an Error of what the Go side says went wrong.
function hostError(e, stack) {
  const err = new (native[e.name] ?? Error)(e.message);
  for (const key of ['code', 'path', 'syscall', 'suggestion', 'helpUrl', 'signal', 'stdout', 'stderr']) {
    if (e[key] !== undefined) err[key] = e[key];
  }
  if (e.name && err.name !== e.name) define(err, 'name', e.name);
  if (stack) define(err, 'stack', stack);
  return err;
}

function define(object, key, value) {
  Object.defineProperty(object, key, { value, writable: true, configurable: true, enumerable: false });
}

// ask is for what is answered at once. The answer begins with + or -.
function ask(op, text) {
  const answer = host(op, text);
  if (answer[0] === '-') throw hostError(parse(answer.slice(1)));
  return answer.slice(1);
}

const waiting = new Map();
let lastId = 0;

// begin starts work of the host and calls back with its end.
function begin(op, text, resolve, reject) {
  const id = ++lastId;
  const refusal = start(id, op, text);
  if (refusal) throw hostError(parse(refusal));
  waiting.set(id, { resolve, reject });
  return id;
}

// run starts work of the host as a promise. Where it was started is kept: what
// arrives later has no stack of its own.
function run(op, args, signal) {
  const { stack } = new Error();
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let onAbort;
    const settled = (fn) => (value) => {
      if (onAbort) signal.removeEventListener('abort', onAbort);
      fn(value);
    };
    const id = begin(op, stringify(args), settled(resolve), settled((e) => reject(hostError(e, stack))));
    if (signal) {
      onAbort = () => {
        forget(id);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    }
  });
}

function forget(id) {
  if (waiting.delete(id)) host('cancel', String(id));
}

function settle(id, ok, text) {
  const entry = waiting.get(id);
  if (!entry) return '';
  waiting.delete(id);
  if (ok) entry.resolve(text);
  else entry.reject(parse(text));
  return '';
}

// guard makes a missing property an error that names it and what comes near.
function guard(label, target) {
  const quiet = new Set(['then', 'default', 'toJSON', '__esModule', 'constructor', 'toString', 'valueOf', '$$typeof', 'nodeType', 'inspect']);
  return new Proxy(target, {
    get(t, key) {
      if (typeof key === 'symbol' || key in t || quiet.has(key)) return t[key];
      throw new TypeError(ask('unknown', label + '\n' + key));
    },
  });
}

function unsupported(label) {
  return new TypeError(ask('unsupported', label));
}

// Timers.
let timers = new Map();

function timer(fn, ms, args, every) {
  if (typeof fn !== 'function') throw new TypeError('the callback of a timer must be a function');
  const delay = Math.max(Number(ms) || 0, every ? 1 : 0);
  const handle = { ref: () => handle, unref: () => handle, hasRef: () => true, [Symbol.toPrimitive]: () => key };
  const key = lastId + 1;
  const arm = () => {
    handle.id = begin('timer', String(delay), fire);
  };
  const fire = () => {
    if (every) arm();
    else timers.delete(key);
    try {
      fn(...args);
    } catch (e) {
      host('uncaught', stringify(describe(e)));
    }
  };
  arm();
  timers.set(key, handle);
  return handle;
}

function clearTimer(handle) {
  const key = typeof handle === 'object' && handle ? handle[Symbol.toPrimitive]?.() : handle;
  const known = timers.get(key);
  if (!known) return;
  timers.delete(key);
  forget(known.id);
}

const setTimeout = (fn, ms, ...args) => timer(fn, ms, args, false);
const setInterval = (fn, ms, ...args) => timer(fn, ms, args, true);
const setImmediate = (fn, ...args) => timer(fn, 0, args, false);
const queueMicrotask = (fn) => {
  Promise.resolve().then(fn).catch((e) => host('uncaught', stringify(describe(e))));
};
const sleep = (ms, value, options) =>
  new Promise((resolve, reject) => {
    const signal = options?.signal;
    signal?.throwIfAborted();
    const handle = setTimeout(() => resolve(value), ms);
    signal?.addEventListener('abort', () => {
      clearTimer(handle);
      reject(signal.reason);
    }, { once: true });
  });

// Bytes and text.
const toBytes = (value) => {
  if (typeof value === 'string') return Uint8Array.fromBase64(ask('encode', value));
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError('expected a string, an ArrayBuffer or a typed array');
};
const toText = (bytes) => ask('decode', Uint8Array.prototype.toBase64.call(bytes));
const base64 = (bytes) => Uint8Array.prototype.toBase64.call(bytes);

// pack writes data for the Go side: text as it is, anything else as base64.
const pack = (data) => (typeof data === 'string' ? { text: data } : { base64: base64(toBytes(data)) });

// inspect prints a value for a log.
function inspect(value, depth = 2, seen = []) {
  switch (typeof value) {
    case 'string': return seen.length ? stringify(value) : value;
    case 'bigint': return value + 'n';
    case 'function': return '[Function: ' + (value.name || 'anonymous') + ']';
    case 'symbol': return value.toString();
    case 'object': break;
    default: return String(value);
  }
  if (value === null) return 'null';
  if (value instanceof Error) return value.name + ': ' + value.message + (value.cause ? ' (cause: ' + inspect(value.cause, 1, [value]) + ')' : '');
  if (value instanceof Date) return isNaN(value) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (seen.includes(value)) return '[Circular]';
  if (seen.length > depth) return Array.isArray(value) ? '[Array]' : '[Object]';
  const inner = [...seen, value];
  const show = (v) => inspect(v, depth, inner);
  const many = (list) => (list.length > 100 ? [...list.slice(0, 100), '... ' + (list.length - 100) + ' more'] : list);
  if (Array.isArray(value)) return '[' + many(value.slice(0, 101).map(show)).join(', ') + ']';
  if (ArrayBuffer.isView(value)) return value.constructor.name + '(' + value.length + ')';
  if (value instanceof Map) return 'Map(' + value.size + ') {' + many([...value].map(([k, v]) => show(k) + ' => ' + show(v))).join(', ') + '}';
  if (value instanceof Set) return 'Set(' + value.size + ') {' + many([...value].map(show)).join(', ') + '}';
  return '{' + many(Object.keys(value).map((k) => k + ': ' + show(value[k]))).join(', ') + '}';
}

const format = (...args) => {
  if (typeof args[0] !== 'string') return args.map((a) => inspect(a)).join(' ');
  let i = 1;
  const first = args[0].replace(/%[sdifjoOc%]/g, (verb) => {
    if (verb === '%%') return '%';
    if (i >= args.length) return verb;
    const arg = args[i++];
    switch (verb) {
      case '%s': return typeof arg === 'object' ? inspect(arg) : String(arg);
      case '%d': case '%f': return String(Number(arg));
      case '%i': return String(Math.trunc(Number(arg)));
      case '%j': return stringify(arg);
      case '%c': return '';
      default: return inspect(arg);
    }
  });
  return [first, ...args.slice(i).map((a) => inspect(a))].join(' ');
};

function logger() {
  const out = {};
  for (const level of ['debug', 'info', 'log', 'warn', 'error']) {
    out[level] = (...args) => {
      host('log', level + '\n' + format(...args));
    };
  }
  return out;
}
const console = { ...logger() };
console.trace = console.debug;
console.dir = (value) => console.log(value);
console.table = console.log;
console.group = console.groupCollapsed = console.log;
console.groupEnd = () => {};
console.assert = (ok, ...args) => ok || console.error('Assertion failed:', ...args);
const clocks = new Map();
console.time = (label = 'default') => { clocks.set(label, performance.now()); };
console.timeEnd = (label = 'default') => {
  console.log(label + ': ' + (performance.now() - (clocks.get(label) ?? performance.now())).toFixed(3) + 'ms');
  clocks.delete(label);
};

const performance = { now: () => Number(ask('now', '')), timeOrigin: Date.now() };

function structuredClone(value) {
  const seen = new Map();
  const clone = (v) => {
    if (typeof v === 'function' || typeof v === 'symbol') throw new DOMException(inspect(v) + ' could not be cloned.', 'DataCloneError');
    if (typeof v !== 'object' || v === null) return v;
    if (seen.has(v)) return seen.get(v);
    const keep = (copy) => (seen.set(v, copy), copy);
    if (v instanceof Date) return keep(new Date(v));
    if (v instanceof RegExp) return keep(new RegExp(v.source, v.flags));
    if (v instanceof ArrayBuffer) return keep(v.slice(0));
    if (ArrayBuffer.isView(v)) {
      const length = v instanceof DataView ? v.byteLength : v.length;
      return keep(new v.constructor(clone(v.buffer), v.byteOffset, length));
    }
    if (v instanceof Map) {
      const copy = keep(new Map());
      for (const [k, item] of v) copy.set(clone(k), clone(item));
      return copy;
    }
    if (v instanceof Set) {
      const copy = keep(new Set());
      for (const item of v) copy.add(clone(item));
      return copy;
    }
    if (v instanceof Error) {
      const copy = keep(new (native[v.name] ?? Error)(v.message));
      define(copy, 'stack', v.stack);
      if (v.cause !== undefined) define(copy, 'cause', clone(v.cause));
      return copy;
    }
    const copy = keep(Array.isArray(v) ? new Array(v.length) : {});
    for (const key of Object.keys(v)) copy[key] = clone(v[key]);
    return copy;
  };
  return clone(value);
}
