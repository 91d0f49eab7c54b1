import { describe } from '@jest/globals';
import { processUnitsOf } from '../drills/process-units.ts';
import { upgradeDrill } from '../drills/upgrade-drill.ts';

describe('kill -9 of the manager in an upgrade, local processes', () => {
  upgradeDrill({
    environment: { RUNTIME: 'process' },
    delaysMs: [80],
    backDelaysMs: [0, 100, 300],
    unitsOf: processUnitsOf,
  });
});
