import { stoppedWalks } from '../support/worlds/stoppedWalks.ts';

describe('With the projector killed, each route is right or says why it cannot be', function () {
  this.timeout(240_000);
  stoppedWalks().itKillsTheProjector();
});
