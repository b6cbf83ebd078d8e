import { StartupError } from '../../model/startup-error.ts';

/** The file is not a complete backup, and no part of it may be used. */
export class DamagedBackup extends StartupError {
  /** The reason, as a clause without a full stop at the end. */
  readonly why: string;

  constructor(why: string) {
    super(`This is not a complete backup of Posthorn: ${why}. Nothing was restored.`);
    this.why = why;
  }
}
