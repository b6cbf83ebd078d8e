import { Webhook } from 'standardwebhooks';

/**
 * Returns the event of a delivery.
 * @param secret the whole secret, `whsec_` included
 * @param headers the headers of the request, with their names in lower case
 * @param body the text of the request as it arrived
 * @throws WebhookVerificationError if the delivery does not come from Posthorn or is not recent
 */
export function standardEvent(secret: string, headers: Record<string, string>, body: string): unknown {
  return new Webhook(secret).verify(body, headers);
}
