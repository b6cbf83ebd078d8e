import type { RouteFormat } from '../../model/routes.ts';
import type { RoutedMessage } from '../routed-message.ts';

/** The body of a request with a message. */
export interface FormattedMessage {
  contentType: string;
  body: Buffer;
}

/** Writes a message in the format of its route. */
export async function formatMessage(_format: RouteFormat, message: RoutedMessage): Promise<FormattedMessage> {
  return { contentType: 'message/rfc822', body: message.raw };
}
