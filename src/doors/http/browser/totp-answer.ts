import { qrCodeSvg } from '../setup/qr-code.ts';

/** The secret of an app, for its camera too. */
export async function totpAnswer<Totp extends { uri: string }>(totp: Totp) {
  const svg = await qrCodeSvg(totp.uri);
  return { ...totp, qr_code: `data:image/svg+xml;base64,${Buffer.from(svg ?? '').toString('base64')}` };
}
