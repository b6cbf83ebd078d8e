import { createCall, type PosthornOptions } from './call.ts';
import { Resources } from './generated.ts';

/** The API of one project: `posthorn.emails.send(...)`. Holds no connection and needs no closing. */
export class Posthorn extends Resources {
  /** @throws TypeError for an option that cannot work */
  constructor(options: PosthornOptions) {
    super(createCall(options));
  }
}
