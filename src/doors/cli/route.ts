import type { Command } from 'commander';
import { addDeclared } from './declared.ts';

export function defineRoute(route: Command): void {
  addDeclared(route);
}
