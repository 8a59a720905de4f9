// What an extension finds around it. Its functions are kept by number, and the
// Go side enters them: several calls at a time, each with a number of its own.
// A call answers by finish, whenever it is done.
const kept = [];
const running = new Map();

const keep = (fn) => (typeof fn === 'function' ? kept.push(fn) - 1 : -1);
const finish = (task, answer) => {
  running.delete(task);
  host('finish', task + '\n' + answer);
};

function registerOf() {
  const exported = globalThis.__gongu_module;
  const main = exported?.default;
  return exported?.register ?? (typeof main === 'function' ? main : main?.register);
}

// extension says whether the module is one.
const extension = () => (typeof registerOf() === 'function' ? 'yes' : '');

const { freeze } = Object;

// api is all that an extension gets.
function makeApi() {
  const logger = {};
  for (const level of ['debug', 'info', 'warn', 'error']) {
    logger[level] = (...args) => {
      host('ext.log', level + '\n' + format(...args));
    };
  }
  return freeze({
    pipeline: freeze({
      register(type, fn, options) {
        ask('ext.use', stringify({ level: String(type), fn: keep(fn), priority: options?.priority ?? 0 }));
      },
    }),
    tools: freeze({
      register(item, handler) {
        ask('ext.tool', stringify({ item, fn: keep(handler) }));
      },
    }),
    state: freeze({
      get: () => parse(ask('ext.state', '')),
      set: (value) => {
        ask('ext.setState', encode(value));
      },
    }),
    events: freeze({
      on(event, fn) {
        const slot = ask('ext.on', stringify({ event: String(event), fn: keep(fn) }));
        return () => {
          ask('ext.off', slot);
        };
      },
      emit(event, ...args) {
        ask('ext.emit', stringify({ event: String(event), args: args.map((arg) => parse(encode(arg))) }));
      },
    }),
    logger: freeze(logger),
  });
}

const isPlain = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

// overwrite puts new contents into an object that somebody may hold.
function overwrite(value, fresh) {
  if (Array.isArray(value) && Array.isArray(fresh)) {
    value.splice(0, value.length, ...fresh);
    return value;
  }
  if (!isPlain(value) || !isPlain(fresh)) return fresh;
  for (const key of Object.keys(value)) {
    if (!(key in fresh)) delete value[key];
  }
  return Object.assign(value, fresh);
}

// A frame is one run of a middleware. Fields are asked for when they are read,
// and told when they were changed: before the rest of the level runs, and at
// the end.
class Frame {
  fields = [];
  advancing = false;
  constructor(task) {
    this.task = task;
  }
  get(name) {
    return ask('frame.get', this.task + '\n' + name);
  }
  // field is a property of a context that may be changed or assigned.
  field(target, key, name) {
    let known = false;
    let value, base, told;
    const read = () => {
      if (!known) {
        told = this.get(name);
        value = parse(told);
        // Not the text itself: numbers may be written in other ways.
        base = encode(value);
        known = true;
      }
      return value;
    };
    const write = (next) => {
      read();
      value = next;
    };
    Object.defineProperty(target, key, { get: read, set: write, enumerable: true, configurable: true });
    this.fields.push({
      flush: () => {
        if (!known) return;
        const text = encode(value);
        if (text === base) return;
        ask('frame.set', this.task + '\n' + name + '\n' + text);
        [base, told] = [text, this.get(name)];
      },
      refresh: () => {
        if (!known) return;
        const text = this.get(name);
        if (text === told) return;
        told = text;
        value = overwrite(value, parse(text));
        base = encode(value);
      },
    });
  }
  flush() {
    if (!this.advancing) for (const f of this.fields) f.flush();
  }
  // next runs the rest of the level, once.
  next() {
    return (this.rest ??= this.advance());
  }
  async advance() {
    this.flush();
    this.advancing = true;
    try {
      const text = await new Promise((resolve, reject) => {
        begin('next', String(this.task), resolve, (e) => reject((this.failure = hostError(e))));
      });
      this.advancing = false;
      for (const f of this.fields) f.refresh();
      this.conversation?.forget();
      this.result = parse(text);
      this.same = this.level === 'toolCall' ? this.lazyResult() : () => encode(this.result) === this.told;
      this.told = this.level === 'toolCall' ? undefined : encode(this.result);
      return this.result;
    } finally {
      this.advancing = false;
    }
  }
  // lazyResult leaves large parts of a tool's result where they are until they
  // are read. It returns how to find out that nothing was changed.
  lazyResult() {
    const parts = [];
    const { result } = this;
    for (const key of ['output', 'content']) {
      if (!(key in result)) continue;
      const part = { key, known: false };
      const read = () => {
        if (!part.known) {
          part.value = parse(this.get('result.' + key));
          part.base = encode(part.value);
          part.known = true;
        }
        return part.value;
      };
      const write = (value) => {
        [part.known, part.value] = [true, value];
      };
      Object.defineProperty(result, key, { get: read, set: write, enumerable: true, configurable: true });
      part.read = read;
      parts.push(part);
    }
    const image = () => {
      const out = {};
      for (const key of Object.keys(result)) {
        const part = parts.find((p) => p.read === Object.getOwnPropertyDescriptor(result, key).get);
        out[key] = part ? null : result[key];
      }
      return encode(out);
    };
    const before = image();
    return () => image() === before && parts.every((p) => !p.known || encode(p.value) === p.base);
  }
  // answer says what a middleware made of it: = is what next gave, ~ nothing.
  async answer(value) {
    if (value === undefined && this.rest) value = await this.rest;
    this.flush();
    if (value === undefined) return '~';
    if (value === this.result && this.same()) return '=';
    return '+' + encode(value);
  }
}

const revive = (messages) => {
  for (const message of messages) {
    if (typeof message?.createdAt === 'string') message.createdAt = new Date(message.createdAt);
  }
  return messages;
};

// conversationOf reads messages when they are asked for, and again after a
// change.
function conversationOf(frame) {
  let cache = {};
  const read = (name) => (cache[name] ??= parse(frame.get('conversation.' + name)));
  frame.conversation = { forget: () => { cache = {}; } };
  return {
    get baseMessages() { return revive(read('base')); },
    get events() { return read('events'); },
    get nextMessages() { return revive(read('next')); },
    toLlmMessages() { return this.nextMessages.map((message) => message.data); },
  };
}

// agentsOf is what turns and steps may ask other agents.
function agentsOf(frame) {
  const ask = (operation, params) =>
    run('frame.agents', { task: frame.task, operation, params }).then((text) => (text === '' ? {} : parse(text)));
  const event = (type, o) => ({ type, input: o.input, instanceKey: o.instanceKey, metadata: o.metadata });
  const text = (value) => (typeof value === 'string' ? value : value === undefined || value === null ? '' : stringify(value));
  return {
    async request(o) {
      const options = { timeoutMs: o.timeoutMs, async: o.async };
      const answer = await ask('request', { target: o.target, event: event('agent.request', o), options });
      const { correlationId, accepted } = answer;
      return { target: answer.target ?? o.target, response: text(answer.response), correlationId, accepted, async: answer.async };
    },
    async send(o) {
      const answer = await ask('send', { target: o.target, event: event('agent.send', o) });
      return { accepted: answer.accepted === true };
    },
  };
}

// contextOf makes the ctx of a middleware. fixed holds what never changes.
function contextOf(frame, level, fixed) {
  const ctx = { ...fixed };
  frame.level = level;
  if (level === 'toolCall') {
    frame.field(ctx, 'args', 'args');
  } else {
    const state = conversationOf(frame);
    ctx.conversationState = state;
    ctx.agents = agentsOf(frame);
    ctx.emitMessageEvent = (event) => {
      ask('frame.emit', frame.task + '\n' + encode(event));
      frame.conversation.forget();
    };
    if (level === 'step') {
      const { turn } = ctx;
      Object.defineProperty(turn, 'messages', { get: () => state.nextMessages, enumerable: true, configurable: true });
      frame.field(turn, 'metadata', 'turn.metadata');
      frame.field(ctx, 'toolCatalog', 'toolCatalog');
    }
  }
  frame.field(ctx, 'metadata', 'metadata');
  ctx.next = () => frame.next();
  return ctx;
}

// settled calls fn and answers with what it gives, at once or later.
function settled(task, fn, encodeAnswer, encodeFailure = failed) {
  const fail = (e) => finish(task, encodeFailure(e));
  const done = (value) => Promise.resolve(encodeAnswer(value)).then((text) => finish(task, text), fail);
  let value;
  try {
    value = fn();
  } catch (e) {
    fail(e);
    return '';
  }
  if (value === null || typeof value !== 'object' || typeof value.then !== 'function') done(value);
  else Promise.resolve(value).then(done, fail);
  return '';
}

// enter starts a call. What it is decides what fixed and the rest mean.
function enter(task, kind, fn, fixed, input, message) {
  switch (kind) {
    case 'register':
      return settled(task, () => registerOf()(makeApi(), fixed === '' ? undefined : parse(fixed)), () => '+null');
    case 'listener':
      return settled(task, () => kept[fn](...parse(fixed)), () => '+null');
    case 'tool': {
      const call = { controller: undefined };
      running.set(task, call);
      const c = parse(fixed);
      const signal = () => (call.controller ??= new AbortController()).signal;
      const ctx = makeContext(message, c.agentName, c.instanceKey, c.turnId, c.traceId, c.toolCallId, c.workdir, c.swarm, signal);
      return settled(task, () => kept[fn](ctx, parse(input)), answer);
    }
    default: {
      const frame = new Frame(task);
      const rethrown = (e) => (e !== undefined && e === frame.failure ? '^' : failed(e));
      return settled(task, () => kept[fn](contextOf(frame, kind, parse(fixed))), (value) => frame.answer(value), rethrown);
    }
  }
}

// giveUp tells a call that nobody waits for it any more. The operations that it
// had under way have ended: what waits for one of them hears of that, so that
// it can tidy up.
function giveUp(task, why, ended) {
  const call = running.get(task);
  if (call) {
    call.controller ??= new AbortController();
    call.controller.abort(why === 'timeout' ? new DOMException('The call took too long.', 'TimeoutError') : undefined);
  }
  running.delete(task);
  const ids = new Set(parse(ended));
  for (const id of ids) {
    const entry = waiting.get(id);
    waiting.delete(id);
    entry?.reject?.({ name: 'AbortError', code: 'ABORT_ERR', message: 'The operation was aborted.' });
  }
  for (const [key, handle] of ids.size ? timers : []) {
    if (ids.has(handle.id)) timers.delete(key);
  }
  return '';
}

Object.assign(globalThis.__gongu_entries, { extension, enter, giveUp });
