/** The type of a core function without its first parameter, the database. */
export type Bound<Function> = Function extends (database: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;
