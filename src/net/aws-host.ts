/** The host of an AWS service, such as `email.eu-central-1.amazonaws.com`. Regions in China have their own suffix. */
export function awsHost(service: string, region: string): string {
  return `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
