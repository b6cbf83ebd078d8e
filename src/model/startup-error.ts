/** `EX_CONFIG` in sysexits(3): the configuration is wrong, and starting again changes nothing. */
export const BAD_CONFIGURATION = 78;

export interface StartupErrorOptions extends ErrorOptions {
  /** Of the process. Default 1: another start may work. */
  exitCode?: number;
}

/** Why the service cannot start, in words for its operator: what is wrong and what to do. Shown without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, ...options }: StartupErrorOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
