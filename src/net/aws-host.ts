/** The host of an AWS service, such as `email.eu-central-1.amazonaws.com`. China is a part of its own. */
export function awsHost(service: string, region: string): string {
  return `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
