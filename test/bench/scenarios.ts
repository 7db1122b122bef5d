import { knowledgeScenario } from './scenarios/knowledge.ts';
import { jobsScenario } from './scenarios/jobs.ts';
import { listsScenario } from './scenarios/lists.ts';
import { merkleScenario } from './scenarios/merkle.ts';
import { appendScenario } from './scenarios/p1Append.ts';
import { rebuildScenario } from './scenarios/p10Rebuild.ts';
import { pdfStampScenario } from './scenarios/p11PdfStamp.ts';
import { libraryValidationScenario } from './scenarios/p13LibraryValidation.ts';
import { openIdConnectScenario } from './scenarios/p14OpenIdConnect.ts';
import { scaleOutScenario } from './scenarios/p20ScaleOut.ts';
import { fullCycleScenario } from './scenarios/p2FullCycle.ts';
import { wakeUpScenario } from './scenarios/p3WakeUp.ts';
import { idlePollsScenario } from './scenarios/p4IdlePolls.ts';
import { httpOverheadScenario } from './scenarios/p12HttpOverhead.ts';
import { crlScenario } from './scenarios/p7Crl.ts';
import { sealScenario } from './scenarios/p5Seal.ts';
import { eventStoreDbScenario } from './scenarios/p22EventStoreDb.ts';
import { growthScenario } from './scenarios/p18Growth.ts';
import { takeOverScenario } from './scenarios/p19TakeOver.ts';
import { registerImportScenario } from './scenarios/registerImport.ts';
import { ocspScenario } from './scenarios/p6Ocsp.ts';
import { auditExportScenario } from './scenarios/p8AuditExport.ts';
import { replayScenario } from './scenarios/p9Replay.ts';
import type { Scenario } from './support/scenario.ts';

/** All scenarios, in the order they run. */
export const scenarios: readonly Scenario[] = [
  appendScenario,
  fullCycleScenario,
  wakeUpScenario,
  idlePollsScenario,
  sealScenario,
  ocspScenario,
  crlScenario,
  auditExportScenario,
  replayScenario,
  rebuildScenario,
  pdfStampScenario,
  httpOverheadScenario,
  libraryValidationScenario,
  openIdConnectScenario,
  growthScenario,
  scaleOutScenario,
  takeOverScenario,
  eventStoreDbScenario,
  jobsScenario,
  listsScenario,
  merkleScenario,
  knowledgeScenario,
  registerImportScenario,
];
