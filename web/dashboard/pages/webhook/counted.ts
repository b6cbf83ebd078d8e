/** "1 delivery" or "1,000+ deliveries". @param has_more whether there are more deliveries than were counted */
import { number } from '../../../ui/amounts.ts';

export function counted(
  { count, has_more }: { count: number; has_more: boolean },
  one = 'delivery',
  several = 'deliveries',
): string {
  return `${number(count)}${has_more ? '+' : ''} ${count === 1 && !has_more ? one : several}`;
}
