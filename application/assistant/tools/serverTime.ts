import type { AssistantTool } from '../ports/assistant.ts';
import type { Clock } from '../../ports/clock.ts';

const timeZone = 'Asia/Ulaanbaatar';

const format = new Intl.DateTimeFormat('en-GB', {
  timeZone,
  hourCycle: 'h23',
  weekday: 'long',
  timeZoneName: 'longOffset',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** Tool for the local time of the capital (specification, assistant rule 3; contract §12). */
export function createServerTimeTool(clock: Clock): AssistantTool {
  return {
    name: 'get_server_time',
    description:
      'Tells the date, the time and the weekday in Ulaanbaatar, the capital of Mongolia. Use it for anything about now or today.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    run: () => {
      const parts = Object.fromEntries(
        format.formatToParts(clock.now()).map(({ type, value }) => [type, value]),
      ) as Record<Intl.DateTimeFormatPartTypes, string>;
      const { year, month, day, hour, minute, second, weekday, timeZoneName } = parts;
      const offset = timeZoneName.replace('GMT', '') || 'Z';
      return Promise.resolve({
        datetime: `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`,
        weekday,
        timezone: timeZone,
      });
    },
  };
}
