/** Holds what webhooks deliver against the OpenAPI document. */
import { ownContract } from './own-contract.ts';

/**
 * @param body as it was delivered
 * @throws AssertionError where it is not as the document says
 */
export function checkDelivery(body: string): void {
  ownContract().checkDelivery(JSON.parse(body) as { type: string });
}
