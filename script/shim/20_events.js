class DOMException extends Error {
  constructor(message = '', name = 'Error') {
    super(message);
    define(this, 'name', name);
  }
  get code() {
    return { AbortError: 20, TimeoutError: 23, DataCloneError: 25 }[this.name] ?? 0;
  }
}

class Event {
  constructor(type, init = {}) {
    this.type = String(type);
    this.cancelable = !!init.cancelable;
    this.defaultPrevented = false;
    this.target = null;
  }
  preventDefault() {
    this.defaultPrevented = this.cancelable;
  }
}

class EventTarget {
  #listeners = new Map();
  addEventListener(type, listener, options) {
    if (!listener) return;
    const list = this.#listeners.get(type) ?? [];
    if (!list.some((l) => l.listener === listener)) {
      list.push({ listener, once: !!options?.once });
    }
    this.#listeners.set(type, list);
  }
  removeEventListener(type, listener) {
    const list = this.#listeners.get(type) ?? [];
    this.#listeners.set(type, list.filter((l) => l.listener !== listener));
  }
  dispatchEvent(event) {
    event.target = this;
    for (const { listener, once } of [...(this.#listeners.get(event.type) ?? [])]) {
      if (once) this.removeEventListener(event.type, listener);
      try {
        if (typeof listener === 'function') listener.call(this, event);
        else listener.handleEvent(event);
      } catch (e) {
        host('uncaught', stringify(describe(e)));
      }
    }
    return !event.defaultPrevented;
  }
}

const making = Symbol('making');

class AbortSignal extends EventTarget {
  aborted = false;
  reason = undefined;
  onabort = null;
  constructor(key) {
    super();
    if (key !== making) throw new TypeError('Illegal constructor');
    for (const hidden of ['onabort']) define(this, hidden, null);
  }
  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }
  static abort(reason) {
    return abortNow(new AbortSignal(making), reason);
  }
  static timeout(ms) {
    const signal = new AbortSignal(making);
    setTimeout(() => abortNow(signal, new DOMException('The operation timed out.', 'TimeoutError')), ms);
    return signal;
  }
  static any(signals) {
    const out = new AbortSignal(making);
    for (const signal of signals) {
      if (signal.aborted) return abortNow(out, signal.reason);
      signal.addEventListener('abort', () => abortNow(out, signal.reason), { once: true });
    }
    return out;
  }
}

function abortNow(signal, reason) {
  if (signal.aborted) return signal;
  signal.aborted = true;
  signal.reason = reason === undefined ? new DOMException('The operation was aborted.', 'AbortError') : reason;
  const event = new Event('abort');
  if (typeof signal.onabort === 'function') {
    signal.addEventListener('abort', signal.onabort, { once: true });
  }
  signal.dispatchEvent(event);
  return signal;
}

class AbortController {
  signal = new AbortSignal(making);
  abort(reason) {
    abortNow(this.signal, reason);
  }
}

class EventEmitter {
  #handlers = new Map();
  on(name, fn) {
    this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), fn]);
    return this;
  }
  once(name, fn) {
    const wrapped = (...args) => {
      this.off(name, wrapped);
      fn.apply(this, args);
    };
    wrapped.listener = fn;
    return this.on(name, wrapped);
  }
  off(name, fn) {
    this.#handlers.set(name, (this.#handlers.get(name) ?? []).filter((h) => h !== fn && h.listener !== fn));
    return this;
  }
  emit(name, ...args) {
    const list = this.#handlers.get(name) ?? [];
    if (name === 'error' && list.length === 0) throw args[0];
    for (const fn of list) fn.apply(this, args);
    return list.length > 0;
  }
  listenerCount(name) {
    return (this.#handlers.get(name) ?? []).length;
  }
  removeAllListeners(name) {
    if (name === undefined) this.#handlers.clear();
    else this.#handlers.delete(name);
    return this;
  }
}
EventEmitter.prototype.addListener = EventEmitter.prototype.on;
EventEmitter.prototype.removeListener = EventEmitter.prototype.off;
