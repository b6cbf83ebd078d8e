/** Delivery status notifications (RFC 3464, RFC 6533). */
export {
  type DsnAction,
  type DsnRecipient,
  readDeliveryStatus,
} from './delivery-status.ts';
