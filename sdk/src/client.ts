import { createCall, type PosthornOptions } from './call.ts';
import { Resources } from './generated.ts';

/** A client for the API of one project: `posthorn.emails.send(...)`. The client has no connections of its own and need not be closed. */
export class Posthorn extends Resources {
  /** @throws TypeError for an invalid option */
  constructor(options: PosthornOptions) {
    super(createCall(options));
  }
}
