class Headers {
  #map = new Map();
  constructor(init) {
    if (!init) return;
    const pairs = typeof init[Symbol.iterator] === 'function' ? init : Object.keys(init).map((k) => [k, init[k]]);
    for (const [key, value] of pairs) this.append(key, value);
  }
  append(key, value) {
    const name = headerName(key);
    const old = this.#map.get(name);
    this.#map.set(name, old === undefined ? String(value).trim() : old + ', ' + String(value).trim());
  }
  set(key, value) { this.#map.set(headerName(key), String(value).trim()); }
  get(key) { return this.#map.get(headerName(key)) ?? null; }
  has(key) { return this.#map.has(headerName(key)); }
  delete(key) { this.#map.delete(headerName(key)); }
  forEach(fn, self) { for (const [key, value] of this) fn.call(self, value, key, this); }
  *entries() { yield* [...this.#map].sort(([a], [b]) => (a < b ? -1 : 1)); }
  *keys() { for (const [key] of this) yield key; }
  *values() { for (const [, value] of this) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  toJSON() { return Object.fromEntries(this); }
}

function headerName(key) {
  const name = String(key).toLowerCase();
  if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) throw new TypeError('Header name ' + inspect(String(key)) + ' is not valid');
  return name;
}

// ByteStream gives bytes that come from the host, all of them at once when
// they are complete.
class ByteStream {
  #source;
  #used = false;
  constructor(source) {
    this.#source = source;
  }
  get locked() { return this.#used; }
  async #take() {
    if (this.#used) throw new TypeError('the stream was already read');
    this.#used = true;
    return this.#source();
  }
  async text() {
    const data = await this.#take();
    return typeof data === 'string' ? data : toText(data);
  }
  async json() { return parse(await this.text()); }
  async bytes() { return toBytes(await this.#take()); }
  async arrayBuffer() { const b = await this.bytes(); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); }
  async blob() { return new Blob([await this.bytes()]); }
  async cancel() { this.#used = true; }
  getReader() {
    const stream = this;
    let done = false;
    return {
      async read() {
        if (done) return { done: true, value: undefined };
        done = true;
        const value = await stream.bytes();
        return value.length ? { done: false, value } : { done: true, value: undefined };
      },
      async cancel() { done = true; },
      releaseLock() {},
    };
  }
  async *[Symbol.asyncIterator]() {
    const value = await this.bytes();
    if (value.length) yield value;
  }
}

// bodySource turns what may be a body into a function that yields its data.
function bodySource(body) {
  if (body === null || body === undefined) return null;
  if (body instanceof ByteStream) return () => body.bytes();
  if (body instanceof Blob) return () => body.bytes();
  if (body instanceof URLSearchParams) return () => body.toString();
  if (typeof body === 'string') return () => body;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return () => toBytes(body);
  if (typeof body[Symbol.asyncIterator] === 'function') {
    return async () => {
      const parts = [];
      for await (const part of body) parts.push(toBytes(part));
      return Buffer.concat(parts);
    };
  }
  return () => String(body);
}

class Body {
  #source;
  #stream;
  #used = false;
  constructor(body) {
    this.#source = bodySource(body);
    this.#stream = body instanceof ByteStream ? body : undefined;
  }
  get body() {
    if (!this.#source) return null;
    return (this.#stream ??= new ByteStream(() => this.#take()));
  }
  get bodyUsed() { return this.#used; }
  async #take() {
    if (this.#used) throw new TypeError('Body already used');
    if (!this.#source) return '';
    this.#used = true;
    return this.#source();
  }
  async text() {
    const data = await this.#take();
    return typeof data === 'string' ? data : toText(toBytes(data));
  }
  async json() { return parse(await this.text()); }
  async bytes() { return new Uint8Array(toBytes(await this.#take())); }
  async arrayBuffer() { return (await this.bytes()).slice().buffer; }
  async blob() { return new Blob([await this.bytes()], { type: this.headers?.get('content-type') ?? '' }); }
  copyBody() {
    if (this.#used) throw new TypeError('Body already used');
    if (!this.#source) return null;
    const source = this.#source;
    let data;
    this.#source = () => (data ??= source());
    return new ByteStream(() => (data ??= source()));
  }
}

class Blob extends Body {
  #parts;
  constructor(parts = [], options = {}) {
    const bytes = Buffer.concat(parts.map((p) => (p instanceof Blob ? p.#parts : toBytes(p))));
    super(new Uint8Array(bytes));
    this.#parts = bytes;
    this.type = String(options.type ?? '');
  }
  get size() { return this.#parts.length; }
  async bytes() { return new Uint8Array(this.#parts); }
  async text() { return toText(this.#parts); }
  slice(begin, end, type) { return new Blob([new Uint8Array(this.#parts.subarray(begin, end))], { type }); }
}

function contentType(body) {
  if (typeof body === 'string') return 'text/plain;charset=UTF-8';
  if (body instanceof URLSearchParams) return 'application/x-www-form-urlencoded;charset=UTF-8';
  if (body instanceof Blob && body.type) return body.type;
  return '';
}

class Response extends Body {
  constructor(body = null, init = {}) {
    super(body);
    this.status = init.status ?? 200;
    if (!(this.status >= 200 && this.status <= 599)) throw new RangeError('The status ' + this.status + ' is not in the range 200 to 599');
    this.statusText = init.statusText ?? '';
    this.headers = new Headers(init.headers);
    const type = contentType(body);
    if (type && !this.headers.has('content-type')) this.headers.set('content-type', type);
    this.url = '';
    this.redirected = false;
    this.type = 'default';
  }
  get ok() { return this.status >= 200 && this.status < 300; }
  clone() {
    const copy = new Response(this.copyBody(), this);
    copy.url = this.url;
    copy.redirected = this.redirected;
    return copy;
  }
  static json(value, init = {}) {
    const headers = new Headers(init.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return new Response(stringify(value), { ...init, headers });
  }
}

class Request extends Body {
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : undefined;
    const body = init.body ?? from?.copyBody() ?? null;
    super(body);
    this.url = from ? from.url : new URL(String(input)).href;
    this.method = String(init.method ?? from?.method ?? 'GET').toUpperCase();
    this.headers = new Headers(init.headers ?? from?.headers);
    this.redirect = init.redirect ?? from?.redirect ?? 'follow';
    this.signal = init.signal ?? from?.signal ?? null;
    const type = contentType(init.body);
    if (type && !this.headers.has('content-type')) this.headers.set('content-type', type);
    if (body !== null && (this.method === 'GET' || this.method === 'HEAD')) {
      throw new TypeError('Request with GET/HEAD method cannot have body.');
    }
  }
  clone() { return new Request(this); }
}

async function fetch(input, init) {
  const request = input instanceof Request && !init ? input : new Request(input, init);
  const body = request.body ? await request.bytes() : null;
  const answer = await run('fetch', {
    url: request.url, method: request.method, headers: [...request.headers],
    redirect: request.redirect, body: body ? base64(body) : undefined,
  }, request.signal ?? undefined);
  const at = answer.indexOf('\n');
  const head = parse(answer.slice(0, at));
  const data = answer.slice(at + 1);
  const source = () => {
    if (head.tooLarge) throw hostError(head.tooLarge);
    return head.base64 ? Uint8Array.fromBase64(data) : data;
  };
  const empty = head.status === 204 || head.status === 304 || request.method === 'HEAD';
  const response = new Response(empty ? null : new ByteStream(source), { status: head.status, statusText: head.statusText, headers: head.headers });
  response.url = head.url;
  response.redirected = head.redirected;
  return response;
}
