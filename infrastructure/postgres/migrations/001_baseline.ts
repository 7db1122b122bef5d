import { eventLog } from './baseline/eventLog.ts';
import { readModels } from './baseline/readModels.ts';
import { tables } from './baseline/tables.ts';
import { viewPartitions } from './baseline/viewPartitions.ts';
import { expand } from './statements.ts';

/** The whole schema as of the first release. */
export const baseline = expand([...eventLog, ...tables, ...readModels, ...viewPartitions]);
