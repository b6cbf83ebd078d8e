/** Checks webhook deliveries against the OpenAPI document. */
import { ownContract } from './own-contract.ts';

/**
 * @param body the body of a delivery
 * @throws AssertionError if the body does not match the document
 */
export function checkDelivery(body: string): void {
  ownContract().checkDelivery(JSON.parse(body) as { type: string });
}
