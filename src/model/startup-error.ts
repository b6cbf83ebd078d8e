/** `EX_CONFIG` in sysexits(3): the configuration is wrong, so a restart does not help. */
export const BAD_CONFIGURATION = 78;

export interface StartupErrorOptions extends ErrorOptions {
  /** The exit code of the process. Default 1: a restart may help. */
  exitCode?: number;
}

/** The service cannot start. The message tells the operator what is wrong and what to do. It is printed without a stack trace. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, ...options }: StartupErrorOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
