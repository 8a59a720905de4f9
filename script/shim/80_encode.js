// How a value or an exception leaves a script. The worker of bun and node has
// the same text, so that a module answers alike in every runtime.

// describe takes apart what was thrown. Fields that are not strings are no
// fields of ours.
function describe(e) {
  const out = {};
  if (e !== null && typeof e === 'object') {
    const read = (key) => {
      try {
        const value = e[key];
        return typeof value === 'string' ? value : undefined;
      } catch {
        return undefined;
      }
    };
    for (const key of ['message', 'name', 'code', 'suggestion', 'helpUrl', 'stack']) {
      const value = read(key);
      if (value !== undefined) out[key] = value;
    }
    if (!(e instanceof Error)) {
      out.name ??= 'UnknownError';
      if (!out.message) {
        try {
          out.message = stringify(e);
        } catch {
          out.message = Object.prototype.toString.call(e);
        }
      }
    }
    return out;
  }
  try {
    return { message: String(e), name: 'UnknownError' };
  } catch {
    return { message: typeof e, name: 'UnknownError' };
  }
}

class Unfit extends Error {}

function replacer(key, value) {
  switch (typeof value) {
    case 'undefined': return null;
    case 'function': case 'symbol': case 'bigint': throw new Unfit();
    default: return value;
  }
}

// encode writes a result as JSON. What JSON cannot carry is refused, with the
// place where it is.
function encode(value) {
  try {
    return stringify(value, replacer);
  } catch (e) {
    const found = unfit(value, 'output', []);
    if (found) {
      const error = new TypeError(ask('unfit', found.join('\n')));
      define(error, 'stack', '');
      throw error;
    }
    throw e;
  }
}

function unfit(value, at, parents) {
  if (typeof value === 'function') return [at, 'function'];
  if (typeof value === 'symbol') return [at, 'symbol'];
  if (typeof value === 'bigint') return [at, 'bigint'];
  if (typeof value !== 'object' || value === null) return undefined;
  if (parents.includes(value)) return [at, 'cycle'];
  if (typeof value.toJSON === 'function') return unfit(value.toJSON(), at, [...parents, value]);
  for (const key of Object.keys(value)) {
    const step = Array.isArray(value) ? '[' + key + ']' : /^[A-Za-z_$][\w$]*$/.test(key) ? '.' + key : '[' + stringify(key) + ']';
    const found = unfit(value[key], at + step, [...parents, value]);
    if (found) return found;
  }
  return undefined;
}
