/** The named schemas of the web client's document: those of its own, and those that it shares with the API. */
import type { TSchema } from 'typebox';
import { COMPONENTS, componentsOf } from '../components.ts';
import * as session from './session.ts';

export const MAIL_COMPONENTS: readonly TSchema[] = [...COMPONENTS, ...componentsOf(session)];
