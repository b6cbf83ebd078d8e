/** The named schemas of the web client's document: those of its own, and those that it shares with the API. */
import type { TSchema } from 'typebox';
import { COMPONENTS, componentsOf } from '../components.ts';
import * as actions from './actions.ts';
import * as changes from './changes.ts';
import * as conversations from './conversations.ts';
import * as folders from './folders.ts';
import * as session from './session.ts';

export const MAIL_COMPONENTS: readonly TSchema[] = [
  ...COMPONENTS,
  ...componentsOf(session),
  ...componentsOf(folders),
  ...componentsOf(conversations),
  ...componentsOf(actions),
  ...componentsOf(changes),
];
