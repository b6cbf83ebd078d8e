/** Certificate signing requests (RFC 2986), and certificates that prove control of a name (RFC 8737). */
import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import * as der from './der.ts';

const OIDS = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectAltName: '2.5.29.17',
  acmeIdentifier: '1.3.6.1.5.5.7.1.31',
} as const;

const DAY_MS = 86_400_000;
const SIGNATURE = der.sequence(der.objectId(OIDS.ecdsaWithSha256));

/** A new P-256 key, for an account or a certificate. */
export function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** A certificate signing request for one name, in DER. @param name a domain name in A-labels @param key a key from `newKey` */
export function certificateRequest(name: string, publicKey: KeyObject, key: KeyObject): Buffer {
  const extensions = der.sequence(subjectAltName(name));
  const attributes = der.explicit(0, der.sequence(der.objectId(OIDS.extensionRequest), der.set(extensions)));
  // The subject stays empty, because clients read names only from the extension (RFC 9525, section 2).
  return signed(
    der.sequence(der.integer(Buffer.from([0])), der.sequence(), spki(publicKey), attributes),
    key,
  );
}

/**
 * The self-signed certificate for a tls-alpn-01 challenge (RFC 8737, section 3), with its key, as PEM. Without a key authorization, the
 * result is an ordinary self-signed certificate that proves nothing.
 */
export function selfSigned(
  name: string,
  keyAuthorization: string | null,
  now: Date,
): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = der.sequence(
    der.set(der.sequence(der.objectId(OIDS.commonName), der.utf8String('Posthorn'))),
  );
  const proof =
    keyAuthorization === null
      ? []
      : [
          der.sequence(
            der.objectId(OIDS.acmeIdentifier),
            der.TRUE,
            der.octetString(der.octetString(hash('sha256', keyAuthorization, 'buffer'))),
          ),
        ];
  const certificate = signed(
    der.sequence(
      der.explicit(0, der.integer(Buffer.from([2]))),
      der.integer(randomBytes(16)),
      SIGNATURE,
      subject,
      der.sequence(...[-DAY_MS, 7 * DAY_MS].map((ms) => der.time(new Date(now.getTime() + ms)))),
      subject,
      spki(publicKey),
      der.explicit(3, der.sequence(subjectAltName(name), ...proof)),
    ),
    privateKey,
  );
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function subjectAltName(name: string): Buffer {
  const names = der.sequence(der.implicit(2, Buffer.from(name, 'ascii')));
  return der.sequence(der.objectId(OIDS.subjectAltName), der.octetString(names));
}

function spki(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function signed(content: Buffer, key: KeyObject): Buffer {
  return der.sequence(content, SIGNATURE, der.bitString(sign('sha256', content, key)));
}
