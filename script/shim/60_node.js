const system = parse(ask('system', ''));
const windows = system.platform === 'win32';
const cwd = () => ask('cwd', '');

// node:path, with forward slashes on every system.
const path = (() => {
  const text = (value, name = 'path') => {
    if (typeof value !== 'string') throw new TypeError('The "' + name + '" argument must be of type string. Received ' + inspect(value));
    return windows ? value.replace(/\\/g, '/') : value;
  };
  const drive = (p) => (windows && /^[A-Za-z]:/.test(p) ? p.slice(0, 2) : '');
  const isAbsolute = (p) => {
    p = text(p);
    return p.slice(drive(p).length).startsWith('/');
  };
  const normalize = (p) => {
    p = text(p);
    if (p === '') return '.';
    const prefix = drive(p);
    const rest = p.slice(prefix.length);
    const absolute = rest.startsWith('/');
    const out = [];
    for (const part of rest.split('/')) {
      if (part === '' || part === '.') continue;
      if (part !== '..') out.push(part);
      else if (out.length && out.at(-1) !== '..') out.pop();
      else if (!absolute) out.push('..');
    }
    let joined = out.join('/');
    if (joined === '' && !absolute) joined = '.';
    if (joined !== '' && joined !== '.' && rest.endsWith('/')) joined += '/';
    if (joined === '.' && rest.endsWith('/')) joined = './';
    return prefix + (absolute ? '/' : '') + joined;
  };
  const join = (...parts) => {
    const joined = parts.map((p) => text(p)).filter((p) => p !== '').join('/');
    return joined === '' ? '.' : normalize(joined);
  };
  const resolve = (...parts) => {
    let out = '';
    for (const part of [...parts.map((p) => text(p))].reverse()) {
      if (part === '') continue;
      out = out === '' ? part : part + '/' + out;
      if (isAbsolute(part)) break;
    }
    if (!isAbsolute(out)) out = text(cwd()) + '/' + out;
    const clean = normalize(out);
    return clean.length > 1 && clean.endsWith('/') && clean !== drive(clean) + '/' ? clean.slice(0, -1) : clean;
  };
  const dirname = (p) => {
    p = text(p);
    const prefix = drive(p);
    const rest = p.slice(prefix.length).replace(/\/+$/, '');
    const at = rest.lastIndexOf('/');
    if (at < 0) return prefix + (p.slice(prefix.length).startsWith('/') ? '/' : '.');
    return prefix + (rest.slice(0, at).replace(/\/+$/, '') || '/');
  };
  const basename = (p, suffix = '') => {
    p = text(p);
    const base = p.slice(drive(p).length).replace(/\/+$/, '').split('/').at(-1);
    return suffix && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
  };
  const extname = (p) => {
    const base = basename(p);
    const at = base.lastIndexOf('.');
    return at <= 0 || /^\.+$/.test(base.slice(0, at + 1)) && at + 1 === base.length ? '' : base.slice(at);
  };
  const relative = (from, to) => {
    const a = resolve(from).split('/').filter(Boolean);
    const b = resolve(to).split('/').filter(Boolean);
    let same = 0;
    while (same < a.length && same < b.length && a[same] === b[same]) same++;
    return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/');
  };
  const split = (p) => {
    const root = isAbsolute(p) ? drive(text(p)) + '/' : '';
    const base = basename(p);
    const ext = extname(p);
    const dir = dirname(p);
    return { root, dir: dir === '.' && !text(p).startsWith('.') ? '' : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
  };
  const build = (parts) => {
    const dir = parts.dir || parts.root || '';
    const base = parts.base || (parts.name ?? '') + (parts.ext ?? '');
    return dir === '' ? base : dir === parts.root ? dir + base : dir + '/' + base;
  };
  return { join, resolve, isAbsolute, normalize, dirname, basename, extname, relative, parse: split, format: build, sep: '/', delimiter: windows ? ';' : ':' };
})();
path.posix = path;

// node:fs/promises
const place = (p) => (p instanceof URL ? fileURLToPath(p) : p instanceof Uint8Array ? toText(p) : String(p));
const textEncoding = (options) => (typeof options === 'string' ? options : options?.encoding);

class Stats {
  constructor(info) {
    Object.assign(this, { size: info.size, mode: info.mode, mtimeMs: info.mtimeMs, mtime: new Date(info.mtimeMs) });
    this.ctimeMs = this.atimeMs = this.birthtimeMs = info.mtimeMs;
    this.ctime = this.atime = this.birthtime = this.mtime;
    define(this, 'kind', info.kind);
  }
  isFile() { return this.kind === 'file'; }
  isDirectory() { return this.kind === 'dir'; }
  isSymbolicLink() { return this.kind === 'link'; }
}

class Dirent {
  constructor(name, parentPath, kind) {
    this.name = name;
    this.parentPath = parentPath;
    this.path = parentPath;
    define(this, 'kind', kind);
  }
  isFile() { return this.kind === 'file'; }
  isDirectory() { return this.kind === 'dir'; }
  isSymbolicLink() { return this.kind === 'link'; }
}

const fsPromises = {
  async readFile(file, options) {
    const encoding = textEncoding(options);
    if (encoding && encodingName(encoding) === 'utf8') return run('readText', { path: place(file) }, options?.signal);
    const data = wrap(Uint8Array.fromBase64(await run('readBytes', { path: place(file) }, options?.signal)));
    return encoding ? data.toString(encoding) : data;
  },
  async writeFile(file, data, options) {
    const flag = options?.flag ?? 'w';
    if (!['w', 'a', 'wx'].includes(flag)) throw unsupported('node:fs/promises.writeFile flag ' + flag);
    await run('write', { path: place(file), ...packed(data, options), append: flag === 'a', fresh: flag === 'wx', parents: false }, options?.signal);
  },
  async appendFile(file, data, options) {
    await run('write', { path: place(file), ...packed(data, options), append: true, parents: false });
  },
  async mkdir(dir, options) {
    const made = await run('mkdir', { path: place(dir), recursive: !!options?.recursive });
    return made === '' ? undefined : made;
  },
  async mkdtemp(prefix) {
    return run('mkdtemp', { path: place(prefix) });
  },
  async readdir(dir, options) {
    const at = place(dir);
    const list = parse(await run('readdir', { path: at, recursive: !!options?.recursive }));
    if (!options?.withFileTypes) return list.map((e) => e.path);
    return list.map((e) => new Dirent(path.basename(e.path), e.path.includes('/') ? path.join(at, path.dirname(e.path)) : at, e.kind));
  },
  async stat(file) {
    return new Stats(parse(await run('stat', { path: place(file) })));
  },
  async access(file) {
    await run('stat', { path: place(file) });
  },
  async rm(file, options) {
    await run('remove', { path: place(file), recursive: !!options?.recursive, force: !!options?.force });
  },
  async unlink(file) {
    await run('remove', { path: place(file) });
  },
  async rename(from, to) {
    await run('rename', { path: place(from), to: place(to) });
  },
  async copyFile(from, to) {
    await run('copy', { path: place(from), to: place(to) });
  },
  constants: { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 },
};

function packed(data, options) {
  const encoding = textEncoding(options);
  return pack(typeof data === 'string' && encoding && encodingName(encoding) !== 'utf8' ? Buffer.from(data, encoding) : data);
}

// node:crypto
const algorithms = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'];

class Hash {
  #chunks = [];
  #algorithm;
  #key;
  constructor(algorithm, key) {
    this.#algorithm = String(algorithm).toLowerCase().replace('-', '');
    if (!algorithms.includes(this.#algorithm)) throw new Error('Digest method not supported: ' + algorithm + '; supported are ' + algorithms.join(', '));
    this.#key = key === undefined ? undefined : base64(toBytes(key));
  }
  update(data, encoding) {
    this.#chunks.push(typeof data === 'string' ? Buffer.from(data, encoding) : toBytes(data));
    return this;
  }
  digest(encoding) {
    const sum = ask('hash', stringify([this.#algorithm, base64(Buffer.concat(this.#chunks)), this.#key ?? null]));
    const bytes = wrap(Uint8Array.fromBase64(sum));
    return encoding && encoding !== 'buffer' ? bytes.toString(encoding) : bytes;
  }
}

const randomUUID = () => ask('uuid', '');
const randomBytes = (size, callback) => {
  const bytes = wrap(Uint8Array.fromBase64(ask('random', String(size))));
  if (!callback) return bytes;
  queueMicrotask(() => callback(null, bytes));
};
const getRandomValues = (array) => {
  toBytes(array).set(randomBytes(array.byteLength));
  return array;
};
const randomInt = (min, max) => {
  if (max === undefined) [min, max] = [0, min];
  return min + Math.floor((parseInt(randomBytes(6).toString('hex'), 16) / 2 ** 48) * (max - min));
};
const crypto = { randomUUID, getRandomValues };
const cryptoModule = {
  randomUUID, randomBytes, randomInt, getRandomValues,
  createHash: (algorithm) => new Hash(algorithm),
  createHmac: (algorithm, key) => new Hash(algorithm, key),
  timingSafeEqual: (a, b) => {
    if (a.byteLength !== b.byteLength) throw new RangeError('Input buffers must have the same byte length');
    let different = 0;
    for (let i = 0; i < a.length; i++) different |= a[i] ^ b[i];
    return different === 0;
  },
  getHashes: () => [...algorithms],
};

// A child process, for Bun.spawn and node:child_process alike. Its output is
// there when it has ended.
function child(command, options = {}) {
  const started = { killed: false };
  const list = command.map(String);
  const { stack } = new Error();
  started.done = new Promise((resolve, reject) => {
    const request = { command: list, cwd: options.cwd === undefined ? '' : place(options.cwd), env: options.env && cleanEnv(options.env), timeout: Number(options.timeout) || 0 };
    started.id = begin('spawn', stringify(request), (answer) => {
      const end = parse(answer);
      started.exit = end;
      resolve(end);
    }, (e) => reject(hostError(e, stack)));
  });
  started.done.catch(() => {});
  const { signal } = options;
  started.kill = (name = 'SIGTERM') => {
    if (started.exit || started.killed) return false;
    started.killed = true;
    started.signal = typeof name === 'string' ? name : 'SIGTERM';
    host('kill', String(started.id));
    return true;
  };
  if (signal?.aborted) started.kill();
  signal?.addEventListener('abort', () => started.kill(), { once: true });
  return started;
}

function cleanEnv(env) {
  const out = {};
  for (const key of Object.keys(env)) if (env[key] !== undefined) out[key] = String(env[key]);
  return out;
}

// streamOf picks one stream of an ended child; too much output is an error for
// whoever reads it.
const streamOf = (started, name) => async () => {
  const end = await started.done;
  if (end[name].tooLarge) throw hostError(end[name].tooLarge);
  return end[name].base64 === undefined ? end[name].text : Uint8Array.fromBase64(end[name].base64);
};

class ChildStream extends EventEmitter {
  constructor(source) {
    super();
    define(this, 'source', source);
    define(this, 'encoding', undefined);
  }
  setEncoding(name) {
    this.encoding = encodingName(name);
    return this;
  }
  async *[Symbol.asyncIterator]() {
    const data = Buffer.from(await this.source());
    if (data.length) yield this.encoding ? data.toString(this.encoding) : data;
  }
}

class ChildProcess extends EventEmitter {
  exitCode = null;
  signalCode = null;
  killed = false;
  stdin = null;
  constructor(started, file) {
    super();
    this.spawnfile = file;
    for (const name of ['stdout', 'stderr']) this[name] = new ChildStream(streamOf(started, name));
    define(this, 'started', started);
    started.done.then((end) => this.finish(end), (e) => this.emit('error', e)).catch((e) => host('uncaught', stringify(describe(e))));
  }
  kill(signal) {
    this.killed = this.started.kill(signal) || this.killed;
    return this.killed;
  }
  finish(end) {
    this.exitCode = end.signal ? null : end.code;
    this.signalCode = end.signal || null;
    this.emit('spawn');
    for (const name of ['stdout', 'stderr']) {
      const stream = this[name];
      const data = end[name].base64 === undefined ? Buffer.from(end[name].text ?? '') : wrap(Uint8Array.fromBase64(end[name].base64));
      if (end[name].tooLarge) stream.emit('error', hostError(end[name].tooLarge));
      if (data.length) stream.emit('data', stream.encoding ? data.toString(stream.encoding) : data);
      stream.emit('end');
      stream.emit('close');
    }
    this.emit('exit', this.exitCode, this.signalCode);
    this.emit('close', this.exitCode, this.signalCode);
  }
}

function shellLine(command, options) {
  return options?.shell ? [typeof options.shell === 'string' ? options.shell : '/bin/sh', '-c', command.join(' ')] : command;
}

function spawn(file, args, options) {
  if (!Array.isArray(args)) [args, options] = [[], args];
  onlyIgnoredInput('node:child_process.spawn', options?.stdio);
  return new ChildProcess(child(shellLine([file, ...args], options), options), file);
}

function onlyIgnoredInput(label, stdio) {
  const first = Array.isArray(stdio) ? stdio[0] : undefined;
  if (first !== undefined && !['ignore', 'pipe', 'inherit', null].includes(first)) throw unsupported(label + ' with stdin ' + inspect(first));
}

async function finished(started, options, command) {
  const end = await started.done;
  const texts = {};
  for (const name of ['stdout', 'stderr']) {
    const data = await streamOf(started, name)();
    const bytes = options?.encoding === 'buffer' || options?.encoding === null;
    texts[name] = bytes ? Buffer.from(data) : typeof data === 'string' ? data : Buffer.from(data).toString(options?.encoding ?? 'utf8');
    if (options?.maxBuffer !== undefined && texts[name].length > options.maxBuffer) {
      throw Object.assign(new RangeError(name + ' maxBuffer length exceeded'), { code: 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', ...texts });
    }
  }
  if (end.code === 0 && !end.signal) return texts;
  throw Object.assign(new Error('Command failed: ' + command + (texts.stderr ? '\n' + texts.stderr : '')), {
    code: end.signal ? null : end.code, killed: started.killed || end.timedOut, signal: end.signal || null, cmd: command, ...texts,
  });
}

function runFile(list, options, callback) {
  const started = child(list, options);
  const proc = new ChildProcess(started, list[0]);
  proc.on('error', () => {});
  const promise = finished(started, options, list.join(' '));
  promise.then(
    ({ stdout, stderr }) => callback?.(null, stdout, stderr),
    (e) => callback?.(e, e.stdout ?? '', e.stderr ?? ''),
  ).catch((e) => host('uncaught', stringify(describe(e))));
  return { proc, promise };
}

function execArguments(args, options, callback) {
  if (typeof args === 'function') return [[], {}, args];
  if (!Array.isArray(args)) return [[], args ?? {}, typeof options === 'function' ? options : callback];
  if (typeof options === 'function') return [args, {}, options];
  return [args, options ?? {}, callback];
}

function execFile(file, args, options, callback) {
  [args, options, callback] = execArguments(args, options, callback);
  return runFile(shellLine([file, ...args], options), options, callback).proc;
}

function exec(command, options, callback) {
  if (typeof options === 'function') [options, callback] = [{}, options];
  return runFile(['/bin/sh', '-c', command], options ?? {}, callback).proc;
}

// node:util
const custom = Symbol.for('nodejs.util.promisify.custom');
function promisify(fn) {
  if (fn[custom]) return fn[custom];
  return function (...args) {
    return new Promise((resolve, reject) => {
      fn.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value)));
    });
  };
}
promisify.custom = custom;
execFile[custom] = (file, args, options) => {
  [args, options] = execArguments(args, options);
  return runFile(shellLine([file, ...args], options), options).promise;
};
exec[custom] = (command, options) => runFile(['/bin/sh', '-c', command], options ?? {}).promise;

// node:url
function fileURLToPath(url) {
  const parsed = url instanceof URL ? url : new URL(url);
  if (parsed.protocol !== 'file:') throw new TypeError('The URL must be of scheme file');
  const p = decodeURIComponent(parsed.pathname);
  return windows ? p.replace(/^\/([A-Za-z]:)/, '$1') : p;
}
function pathToFileURL(p) {
  const full = path.resolve(p);
  return new URL('file://' + (full.startsWith('/') ? '' : '/') + full.split('/').map(encodeURIComponent).join('/').replace(/%3A/g, ':'));
}

// process
const process = guard('process', {
  env: system.env, platform: system.platform, arch: system.arch, pid: 0, ppid: 0, title: 'gongu', argv: ['gongu'], execArgv: [], exitCode: undefined,
  version: 'v20.0.0', versions: { node: '20.0.0', quickjs: system.engine }, browser: undefined, release: { name: 'gongu' },
  cwd,
  uptime: () => performance.now() / 1000,
  hrtime: Object.assign((since) => {
    const now = performance.now() * 1e6;
    const pair = [Math.floor(now / 1e9), Math.floor(now % 1e9)];
    return since ? [pair[0] - since[0], pair[1] - since[1]] : pair;
  }, { bigint: () => BigInt(Math.floor(performance.now() * 1e6)) }),
  nextTick: (fn, ...args) => queueMicrotask(() => fn(...args)),
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  emitWarning: (warning) => console.warn(warning),
  on() { return process; },
  once() { return process; },
  off() { return process; },
  addListener() { return process; },
  removeListener() { return process; },
});

// modules are what import finds; the table in api.go names the same.
const modules = {
  path,
  'fs/promises': fsPromises,
  crypto: cryptoModule,
  child_process: { execFile, exec, spawn },
  os: {
    EOL: '\n', platform: () => system.platform, arch: () => system.arch, type: () => system.type,
    homedir: () => system.home, hostname: () => 'localhost', endianness: () => 'LE',
    tmpdir: () => path.join(cwd(), '.tmp'),
    availableParallelism: () => system.cpus,
    cpus: () => Array.from({ length: system.cpus }, () => ({ model: '', speed: 0, times: {} })),
  },
  url: { URL, URLSearchParams, fileURLToPath, pathToFileURL },
  buffer: { Buffer, Blob, atob, btoa },
  util: { promisify, inspect, format, TextEncoder, TextDecoder },
  events: { EventEmitter },
  process,
  'timers/promises': { setTimeout: sleep },
};
