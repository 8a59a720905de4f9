class URLSearchParams {
  #list = [];
  #changed;
  constructor(init = '', changed) {
    this.#changed = typeof changed === 'function' ? changed : () => {};
    if (typeof init === 'string') {
      for (const part of init.replace(/^\?/, '').split('&')) {
        if (!part) continue;
        const at = part.indexOf('=');
        const [key, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
        this.#list.push([unquote(key), unquote(value)]);
      }
    } else if (typeof init?.[Symbol.iterator] === 'function') {
      for (const [key, value] of init) this.#list.push([String(key), String(value)]);
    } else {
      for (const key of Object.keys(init ?? {})) this.#list.push([key, String(init[key])]);
    }
  }
  get size() {
    return this.#list.length;
  }
  append(key, value) {
    this.#list.push([String(key), String(value)]);
    this.#changed();
  }
  set(key, value) {
    const first = this.#list.findIndex(([k]) => k === key);
    const rest = this.#list.filter(([k], i) => k !== key || i === first);
    if (first < 0) rest.push([String(key), String(value)]);
    else rest.find(([k]) => k === key)[1] = String(value);
    this.#list = rest;
    this.#changed();
  }
  delete(key, value) {
    this.#list = this.#list.filter(([k, v]) => k !== key || (value !== undefined && v !== String(value)));
    this.#changed();
  }
  get(key) {
    return this.#list.find(([k]) => k === key)?.[1] ?? null;
  }
  getAll(key) {
    return this.#list.filter(([k]) => k === key).map(([, v]) => v);
  }
  has(key, value) {
    return this.#list.some(([k, v]) => k === key && (value === undefined || v === String(value)));
  }
  sort() {
    this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed();
  }
  forEach(fn, self) {
    for (const [key, value] of this.#list) fn.call(self, value, key, this);
  }
  *entries() {
    yield* this.#list.map((pair) => [...pair]);
  }
  *keys() {
    for (const [key] of this.#list) yield key;
  }
  *values() {
    for (const [, value] of this.#list) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return this.#list.map(([key, value]) => quote(key) + '=' + quote(value)).join('&');
  }
}

const quote = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(/%20/g, '+').replace(/[!'()~]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());

function unquote(text) {
  text = text.replace(/\+/g, ' ');
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(%[0-9a-fA-F]{2})+/g, (run) => toText(Uint8Array.fromHex(run.replace(/%/g, ''))));
  }
}

class URL {
  #parts;
  #params;
  constructor(input, base) {
    this.#parts = parse(ask('url', stringify([String(input), base === undefined ? '' : String(base)])));
  }
  static canParse(input, base) {
    return URL.parse(input, base) !== null;
  }
  static parse(input, base) {
    try {
      return new URL(input, base);
    } catch {
      return null;
    }
  }
  #set(key, value) {
    this.#parts = parse(ask('urlset', stringify([this.#parts.href, key, String(value)])));
  }
  get href() { return this.#parts.href; }
  set href(value) { this.#parts = parse(ask('url', stringify([String(value), '']))); this.#params = undefined; }
  get origin() { return this.#parts.origin; }
  get protocol() { return this.#parts.protocol; }
  set protocol(value) { this.#set('protocol', value); }
  get username() { return this.#parts.username; }
  set username(value) { this.#set('username', value); }
  get password() { return this.#parts.password; }
  set password(value) { this.#set('password', value); }
  get host() { return this.#parts.host; }
  set host(value) { this.#set('host', value); }
  get hostname() { return this.#parts.hostname; }
  set hostname(value) { this.#set('hostname', value); }
  get port() { return this.#parts.port; }
  set port(value) { this.#set('port', value); }
  get pathname() { return this.#parts.pathname; }
  set pathname(value) { this.#set('pathname', value); }
  get search() { return this.#parts.search; }
  set search(value) { this.#set('search', value); this.#params = undefined; }
  get hash() { return this.#parts.hash; }
  set hash(value) { this.#set('hash', value); }
  get searchParams() {
    return (this.#params ??= new URLSearchParams(this.search, () => this.#set('search', this.#params.toString())));
  }
  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }
}
