import { describe } from '@jest/globals';
import { makeManagerProcess } from '../harness/app/manager-process.ts';
import { importDrill } from './drills/import-drill.ts';

describe('kill -9 of the manager in an import', () => importDrill(makeManagerProcess));
