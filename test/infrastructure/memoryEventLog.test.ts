import { createMemoryEventLog } from '../support/doubles/memoryEventLog.ts';
import { eventLogContract } from '../contracts/eventLogContract.ts';

eventLogContract('memory', () =>
  Promise.resolve({ logs: [createMemoryEventLog()], stop: () => Promise.resolve() }),
);
