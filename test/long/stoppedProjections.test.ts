import { readModels } from '../../projections/readModels.ts';
import { isOfPeople, stoppedWalks } from '../support/worlds/stoppedWalks.ts';

describe('With a projection stopped, each route is right or says why it cannot be', function () {
  this.timeout(240_000);
  stoppedWalks().itStopsEach(readModels.filter((model) => !isOfPeople(model)));
});
