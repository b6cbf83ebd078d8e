/** A certificate in files. Changed files are read again, so a renewed certificate needs no restart and does not disturb sessions. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { StartupError } from '../model/startup-error.ts';
import { certificateExpiry } from '../observe/instruments.ts';
import type { Certificates } from './certificates.ts';

export interface CertificatePaths {
  certPath: string;
  keyPath: string;
}

export class FileCertificate implements Certificates {
  /** This promise is already resolved, because the constructor reads the certificate. */
  readonly available = Promise.resolve();
  readonly challengeResponses = null;
  readonly #files: CertificatePaths;
  readonly #onFault: (error: unknown) => void;
  #context: SecureContext;
  #seen: string;

  /**
   * Reads the files.
   * @param onFault called once for changed files that cannot be used; the previous certificate stays in use
   * @throws StartupError if the files cannot be read, or the key does not match the certificate
   */
  constructor(files: CertificatePaths, onFault: (error: unknown) => void) {
    this.#files = files;
    this.#onFault = onFault;
    this.#seen = this.#fileStates();
    try {
      this.#context = this.#read();
    } catch (cause) {
      throw new StartupError(
        `The certificate of POSTHORN_TLS_CERT and the key of POSTHORN_TLS_KEY cannot be used: ${(cause as Error).message}`,
        { cause },
      );
    }
  }

  /** Presents the same certificate for every name. */
  readonly secureContext = (): SecureContext => {
    const seen = this.#fileStates();
    if (seen === this.#seen) return this.#context;
    this.#seen = seen;
    try {
      this.#context = this.#read();
    } catch (error) {
      this.#onFault(error);
    }
    return this.#context;
  };

  /**
   * A text that changes when a file is written, replaced or removed. Never throws, because an error would be reported again at each
   * handshake.
   */
  #fileStates(): string {
    return [this.#files.certPath, this.#files.keyPath].map(stateOf).join(' ');
  }

  #read(): SecureContext {
    const [cert, key] = [readFileSync(this.#files.certPath), readFileSync(this.#files.keyPath)];
    const certificate = new X509Certificate(cert);
    // OpenSSL does not notice if the key is of another type than the certificate's, but then every handshake would fail.
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      throw new Error('the key does not match the certificate');
    certificateExpiry.set(certificate.validToDate.getTime() / 1_000);
    return createSecureContext({ cert, key });
  }
}

function stateOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
