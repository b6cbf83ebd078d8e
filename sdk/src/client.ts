import { createCall, type PosthornOptions } from './call.ts';
import { Resources } from './generated.ts';

/** The API of one project: `posthorn.emails.send(...)`. Holds no connections, so it needs no closing. */
export class Posthorn extends Resources {
  /** @throws TypeError for an invalid option */
  constructor(options: PosthornOptions) {
    super(createCall(options));
  }
}
