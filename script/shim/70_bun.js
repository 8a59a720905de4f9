class BunFile extends Blob {
  constructor(name, options) {
    super([], options);
    this.name = name;
  }
  get size() { return Number(ask('size', this.name)); }
  get lastModified() { return parse(ask('statNow', this.name)).mtimeMs; }
  async exists() { return (await run('exists', { path: this.name })) === 'true'; }
  async text() { return run('readText', { path: this.name }); }
  async json() { return parse(await this.text()); }
  async bytes() { return Uint8Array.fromBase64(await run('readBytes', { path: this.name })); }
  async arrayBuffer() { return (await this.bytes()).buffer; }
  async stat() { return fsPromises.stat(this.name); }
  async delete() { await fsPromises.unlink(this.name); }
  async write(data) { return Bun.write(this, data); }
  stream() { return new ByteStream(() => this.bytes()); }
  slice(begin, end) { return new ByteStream(async () => (await this.bytes()).slice(begin, end)); }
}

class CryptoHasher extends Hash {
  static hash(algorithm, data, encoding) {
    return new CryptoHasher(algorithm).update(data).digest(encoding);
  }
}

function bunSpawn(command, options) {
  if (!Array.isArray(command)) [command, options] = [command.cmd, command];
  const input = options?.stdin ?? options?.stdio?.[0];
  if (!(input === undefined || input === null || ['ignore', 'inherit', 'pipe'].includes(input))) {
    throw unsupported('Bun.spawn with stdin ' + inspect(input));
  }
  const started = child(command, options);
  const proc = {
    pid: 0,
    killed: false,
    stdin: undefined,
    get exitCode() { return started.exit && !started.exit.signal ? started.exit.code : null; },
    get signalCode() { return started.exit?.signal || null; },
    stdout: new ByteStream(streamOf(started, 'stdout')),
    stderr: new ByteStream(streamOf(started, 'stderr')),
    exited: started.done.then((end) => (end.signal ? 128 + end.number : end.code)),
    kill(signal) { proc.killed = started.kill(signal) || proc.killed; },
    ref() {},
    unref() {},
  };
  proc.exited.then((code) => options?.onExit?.(proc, code, proc.signalCode, undefined)).catch(() => {});
  return proc;
}

const Bun = guard('Bun', {
  spawn: bunSpawn,
  file: (name, options) => new BunFile(place(name), options),
  async write(target, data) {
    const name = target instanceof BunFile ? target.name : place(target);
    const body = data instanceof Body ? await data.bytes() : data;
    return Number(await run('write', { path: name, ...pack(body), parents: true }));
  },
  sleep: (ms) => sleep(ms instanceof Date ? ms - Date.now() : ms),
  env: process.env,
  CryptoHasher,
  version: '1.0.0',
  inspect,
  nanoseconds: () => Math.floor(performance.now() * 1e6),
  fileURLToPath,
  pathToFileURL,
});
