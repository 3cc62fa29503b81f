// Preloaded with NODE_OPTIONS in each thread: shifts the clock by the offset from the environment.
const offsetMs = Number(process.env.TEST_CLOCK_OFFSET_MS);
const RightDate = Date;
const now = () => RightDate.now() + offsetMs;
globalThis.Date = new Proxy(RightDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
});
