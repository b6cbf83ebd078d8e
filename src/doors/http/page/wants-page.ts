import type { IncomingMessage } from 'node:http';

/** Paths of the public API. Clients of these paths are programs, whatever their Accept header says. */
const API = /^\/(?:api\/)?v1(?:[/?#]|$)/;
const METHODS = ['GET', 'HEAD'];

/** Whether the client is a browser that expects a page instead of a problem document (RFC 9110, section 12.5.1). */
export function expectsPage({ method = '', url = '', headers }: IncomingMessage): boolean {
  if (!METHODS.includes(method) || API.test(url)) return false;
  const qualities = qualitiesOf(headers.accept ?? '');
  const page = qualities.get('text/html') ?? 0;
  const json = Math.max(
    qualities.get('application/json') ?? 0,
    qualities.get('application/problem+json') ?? 0,
  );
  return page > 0 && page >= json;
}

/** The quality of each media type in an Accept header. The caller looks up exact media types only, so wildcards have no effect. */
function qualitiesOf(accept: string): Map<string, number> {
  return new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length);
      const quality = Number(weight ?? 1);
      return [type, Number.isNaN(quality) ? 0 : quality];
    }),
  );
}
