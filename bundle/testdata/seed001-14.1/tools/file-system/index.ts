// A stand-in: only the resource is under test here.
export const handlers = {};
