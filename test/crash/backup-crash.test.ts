import { describe } from '@jest/globals';
import { makeManagerProcess } from '../harness/app/manager-process.ts';
import { restoreDrill } from './drills/restore-drill.ts';

describe('kill -9 of the manager in a backup and a restore', () => restoreDrill(makeManagerProcess));
