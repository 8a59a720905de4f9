class TextEncoder {
  encoding = 'utf-8';
  encode(text = '') {
    return toBytes(String(text));
  }
}

class TextDecoder {
  constructor(label = 'utf-8', options = {}) {
    const name = String(label).toLowerCase();
    if (!['utf-8', 'utf8', 'unicode-1-1-utf-8', 'latin1', 'ascii', 'iso-8859-1'].includes(name)) {
      throw new RangeError('TextDecoder: the encoding ' + label + ' is not supported; utf-8 and latin1 are');
    }
    this.encoding = name.startsWith('u') ? 'utf-8' : 'windows-1252';
    this.fatal = !!options.fatal;
    this.ignoreBOM = !!options.ignoreBOM;
    define(this, 'rest', new Uint8Array(0));
  }
  decode(input, options) {
    let bytes = input === undefined ? new Uint8Array(0) : toBytes(input);
    if (this.encoding !== 'utf-8') return latin1(bytes);
    if (this.rest.length) {
      const all = new Uint8Array(this.rest.length + bytes.length);
      all.set(this.rest);
      all.set(bytes, this.rest.length);
      bytes = all;
    }
    const keep = options?.stream ? unfinished(bytes) : 0;
    this.rest = bytes.slice(bytes.length - keep);
    bytes = bytes.subarray(0, bytes.length - keep);
    const text = toText(bytes);
    if (this.fatal && text.includes('\ufffd') && base64(toBytes(text)) !== base64(bytes)) {
      throw new TypeError('The encoded data was not valid utf-8');
    }
    return !this.ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}

// unfinished is how many bytes at the end begin a character that goes on.
function unfinished(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const b = bytes[bytes.length - back];
    if (b >= 0xc0) return (b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2) > back ? back : 0;
    if (b < 0x80) return 0;
  }
  return 0;
}

function latin1(bytes) {
  let out = '';
  for (let i = 0; i < bytes.length; i += 4096) out += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return out;
}

function fromLatin1(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function btoa(text) {
  text = String(text);
  if (/[^\0-\xff]/.test(text)) throw new DOMException('The string contains characters outside of Latin1.', 'InvalidCharacterError');
  return base64(fromLatin1(text));
}

function atob(text) {
  try {
    return latin1(Uint8Array.fromBase64(String(text).replace(/\s+/g, '')));
  } catch {
    throw new DOMException('The string is not correctly encoded.', 'InvalidCharacterError');
  }
}

function encodingName(encoding = 'utf8') {
  const name = String(encoding).toLowerCase();
  const known = { utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', latin1: 'latin1', binary: 'latin1', ascii: 'latin1' }[name];
  if (!known) throw new TypeError('Unknown encoding: ' + encoding + '; utf8, hex, base64, base64url and latin1 are supported');
  return known;
}

class Buffer extends Uint8Array {
  static from(value, encodingOrOffset, length) {
    if (typeof value === 'string') {
      switch (encodingName(encodingOrOffset)) {
        case 'hex': return wrap(Uint8Array.fromHex(value.slice(0, value.length & ~1)));
        case 'base64': case 'base64url':
          return wrap(Uint8Array.fromBase64(value.replace(/-/g, '+').replace(/_/g, '/').replace(/[^A-Za-z0-9+/]/g, '')));
        case 'latin1': return wrap(fromLatin1(value));
        default: return wrap(toBytes(value));
      }
    }
    if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset, length);
    if (value?.type === 'Buffer' && Array.isArray(value.data)) value = value.data;
    if (value && typeof value === 'object') {
      const copy = new Buffer(value.length);
      copy.set(value);
      return copy;
    }
    throw new TypeError('Buffer.from takes a string, an array, an ArrayBuffer or a Buffer');
  }
  static alloc(size, fill, encoding) {
    const out = new Buffer(size);
    return fill === undefined || fill === 0 ? out : out.fill(fill, 0, size, encoding);
  }
  static allocUnsafe(size) {
    return new Buffer(size);
  }
  static concat(list, total) {
    total ??= list.reduce((n, b) => n + b.length, 0);
    const out = new Buffer(total);
    let at = 0;
    for (const b of list) {
      if (at >= total) break;
      out.set(b.subarray(0, total - at), at);
      at += b.length;
    }
    return out;
  }
  static byteLength(value, encoding) {
    return typeof value === 'string' ? Buffer.from(value, encoding).length : value.byteLength;
  }
  static isBuffer(value) {
    return value instanceof Buffer;
  }
  static isEncoding(name) {
    try {
      return !!encodingName(name);
    } catch {
      return false;
    }
  }
  static compare(a, b) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return Math.sign(a.length - b.length);
  }
  toString(encoding, begin = 0, end = this.length) {
    const part = begin === 0 && end >= this.length ? this : this.subarray(begin, end);
    switch (encodingName(encoding)) {
      case 'hex': return Uint8Array.prototype.toHex.call(part);
      case 'base64': return base64(part);
      case 'base64url': return base64(part).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
      case 'latin1': return latin1(part);
      default: return toText(part);
    }
  }
  slice(begin, end) {
    return this.subarray(begin, end);
  }
  equals(other) {
    return Buffer.compare(this, other) === 0;
  }
  compare(other) {
    return Buffer.compare(this, other);
  }
  fill(value, begin = 0, end = this.length, encoding) {
    if (typeof value === 'number') return super.fill(value, begin, end);
    const bytes = Buffer.from(value, encoding);
    for (let i = begin; i < end && bytes.length; i++) this[i] = bytes[(i - begin) % bytes.length];
    return this;
  }
  copy(target, at = 0, begin = 0, end = this.length) {
    const part = this.subarray(begin, Math.min(end, begin + target.length - at));
    target.set(part, at);
    return part.length;
  }
  write(text, offset = 0, length, encoding) {
    if (typeof length === 'string') [encoding, length] = [length, undefined];
    return Buffer.from(text, encoding).copy(this, offset, 0, length ?? this.length - offset);
  }
  indexOf(value, from = 0, encoding) {
    if (typeof value === 'number') return super.indexOf(value, from);
    return latin1(this).indexOf(latin1(Buffer.from(value, encoding)), from);
  }
  includes(value, from, encoding) {
    return this.indexOf(value, from, encoding) >= 0;
  }
  readUInt8(at = 0) {
    return this[at];
  }
  toJSON() {
    return { type: 'Buffer', data: [...this] };
  }
}

function wrap(bytes) {
  return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
