/** Queries an rspamd that the operator runs. Its verdict replaces the built-in scorer. */
import { Agent } from 'undici';
import { CONNECTION_OPTIONS, HttpExchange } from '../../net/http-exchange.ts';
import type { Arrival, Authentication } from '../authenticate/authentication.ts';
import { TIMINGS } from './timings.ts';
import type { SpamReason, SpamVerdict } from './verdict.ts';

const CONNECTIONS = 20;
/** The maximum size of a response. A response with all its symbols is about 10 kB. */
const MAX_ANSWER = 65_536;
const MAX_REASONS = 50;
/** Characters that an HTTP header cannot have. Attack: an SMTP client sends control characters in a value that becomes a header. */
const NOT_IN_HEADER = /[^\x20-\x7e]/g;
const SYMBOL = /^[A-Za-z0-9_]{1,80}$/;

export class Rspamd implements AsyncDisposable {
  readonly #url: URL;
  readonly #timeoutMs: number;
  readonly #agent = new Agent({ ...CONNECTION_OPTIONS, connections: CONNECTIONS });

  /** @param address the address of rspamd's normal worker, such as `http://localhost:11333` */
  constructor(address: string, { rspamdMs }: Pick<typeof TIMINGS, 'rspamdMs'> = TIMINGS) {
    this.#url = new URL(`${address}/checkv2`);
    this.#timeoutMs = rspamdMs;
  }

  /** @returns null if there is no valid response in time. Never rejects. */
  async check(
    { raw, address, helo, mailFrom }: Arrival,
    { iprev }: Pick<Authentication, 'iprev'>,
  ): Promise<SpamVerdict | null> {
    const headers = {
      ip: address,
      helo: helo.replaceAll(NOT_IN_HEADER, '?'),
      from: mailFrom.replaceAll(NOT_IN_HEADER, '?'),
      ...(iprev.result === 'pass' && iprev.name !== null && { hostname: iprev.name }),
      'content-type': 'application/octet-stream',
    };
    const { promise, resolve } = Promise.withResolvers<{ httpStatus: number | null; responseBody: string }>();
    const exchange = new HttpExchange({ timeoutMs: this.#timeoutMs, maxStoredBytes: MAX_ANSWER }, resolve);
    this.#agent.dispatch(
      { origin: this.#url.origin, path: this.#url.pathname, method: 'POST', headers, body: raw },
      exchange,
    );
    const { httpStatus, responseBody } = await promise;
    return httpStatus === 200 ? readAnswer(responseBody) : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

/**
 * Reads a response (https://docs.rspamd.com/developers/protocol): `{"score": 4.2, "action": "...", "symbols": {"NAME": {"score": 1.5}}}`.
 */
function readAnswer(text: string): SpamVerdict | null {
  try {
    const { score, symbols } = JSON.parse(text) as { score?: unknown; symbols?: unknown };
    if (typeof score !== 'number' || !Number.isFinite(score)) return null;
    const reasons = Object.entries(symbols ?? {})
      .flatMap(([rule, symbol]: [string, { score?: unknown } | null]): SpamReason[] => {
        const weight = symbol?.score;
        return SYMBOL.test(rule) && typeof weight === 'number' && weight !== 0
          ? [{ rule, weight: tenths(weight) }]
          : [];
      })
      .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
      .slice(0, MAX_REASONS);
    return { score: tenths(score), reasons };
  } catch {
    return null;
  }
}

function tenths(score: number): number {
  return Math.round(score * 10) / 10;
}
