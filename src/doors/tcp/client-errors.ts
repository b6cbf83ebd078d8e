/**
 * Counts the errors of a client on one connection. Attack: guessing addresses or passwords. A client with many errors gets slower replies,
 * and then its connection ends. The numbers are those of Postfix. Most clients that cause so many errors are broken, not hostile, and a
 * slow reply costs them less than a closed connection.
 */

/** After this many errors, the reply to each further error is delayed. */
const MAX_FAST = 10;
/** The number of errors that ends the connection. */
const MAX_ERRORS = 20;
/** The number of unknown recipients that ends the connection. A list may have more dead addresses than a message has recipients. */
const MAX_UNKNOWN = 200;

export class ClientErrors {
  #errors = 0;
  #unknown = 0;

  /** @param isUnknownRecipient whether the error is an unknown recipient, of which honest senders of lists cause many */
  add(isUnknownRecipient = false): void {
    if (isUnknownRecipient) this.#unknown += 1;
    else this.#errors += 1;
  }

  /** Whether the reply to the last error must be delayed (`ClientConnection.slowDown`). */
  get areMany(): boolean {
    return this.#errors + this.#unknown > MAX_FAST;
  }

  /** Whether the connection must end. */
  get areTooMany(): boolean {
    return this.#errors >= MAX_ERRORS || this.#unknown >= MAX_UNKNOWN;
  }

  /** Called after a success, which shows that the client is not guessing. */
  clear(): void {
    this.#errors = 0;
    this.#unknown = 0;
  }
}
