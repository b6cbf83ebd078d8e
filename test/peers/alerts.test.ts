/** Runs promtool on the alert rules. Each rule must fire for series with the problem, and only for these series. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite, test } from 'node:test';
import { peerFolder, requireProgram, run, withPeers } from './peers.ts';

const ALERTS = fileURLToPath(new URL('../../docs/operate/alerts.yaml', import.meta.url));
const OF = 'job="posthorn",instance="mail-1:8025"';
const LABELS = { job: 'posthorn', instance: 'mail-1:8025' };
const GB = 1024 ** 3;
const DAY_S = 86_400;
const LONG_STEP = '1h';
const STEPS_A_DAY = 24;

/** Series by name and labels. The values are in promtool's notation, with one value for each step. */
type Played = Readonly<Record<string, string>>;

interface Case {
  alert: string;
  /** The time at which the rule must have fired, for example `30m`. */
  at: string;
  /** The interval of values and evaluations, by default one minute. */
  step?: string;
  fires: Played;
  labels: Readonly<Record<string, string>>;
  summary: string;
  /** Other sets of series, for which the rule must not fire. */
  silent: readonly Played[];
}

const disk = (free: string, size = 100 * GB): Played => ({
  [`posthorn_disk_free_bytes{${OF},holds="data"}`]: free,
  [`posthorn_disk_size_bytes{${OF},holds="data"}`]: `${size}x2000`,
});
const onDisk = { ...LABELS, holds: 'data' };
/** The free disk space, which shrinks from 40 GB by 10 GB a day, in long steps. */
const FILLING = `${40 * GB}-${Math.round((10 * GB) / STEPS_A_DAY)}x2000`;
const clock = (seconds: number): Played => ({
  [`posthorn_clock_offset_seconds{${OF},process="worker-1"}`]: `${seconds}x60`,
});
const backup = (madeAtS: number): Played => ({
  [`posthorn_backup_last_success_timestamp_seconds{${OF}}`]: `${madeAtS}x2000`,
});
const environment = (name: string): Played => ({
  [`posthorn_environment_info{${OF},environment="${name}"}`]: '1x2000',
  [`posthorn_database_up{${OF}}`]: '1x2000',
});
/** Ten commits a minute, all with durations between two bounds. */
const commits = (belowS: string, untilS: string): Played => ({
  [`posthorn_commit_seconds_bucket{${OF},process="http",le="${belowS}"}`]: '0x60',
  [`posthorn_commit_seconds_bucket{${OF},process="http",le="${untilS}"}`]: '0+10x60',
  [`posthorn_commit_seconds_bucket{${OF},process="http",le="+Inf"}`]: '0+10x60',
});
const workers = (alive: number, paused: number): Played => ({
  [`posthorn_queue_workers{${OF}}`]: `${alive}x60`,
  [`posthorn_queue_paused{${OF}}`]: `${paused}x60`,
});

const serviceMail = (state: string): Played =>
  Object.fromEntries(
    ['ready', 'at_risk', 'stopped'].map((each) => [
      `posthorn_service_mail{${OF},state="${each}"}`,
      `${each === state ? 1 : 0}x120`,
    ]),
  );

const CASES: readonly Case[] = [
  {
    alert: 'PosthornDiskFull',
    at: '5m',
    fires: disk(`${GB / 2}x2000`),
    labels: { ...onDisk, severity: 'critical' },
    summary: 'Only 512MiB are free for the data of mail-1:8025: free some space',
    silent: [disk(`${2 * GB}x2000`)],
  },
  {
    alert: 'PosthornDiskNearlyFull',
    at: '20m',
    fires: disk(`${5 * GB}x2000`),
    labels: { ...onDisk, severity: 'warning' },
    summary: 'Only 5% of the disk for the data of mail-1:8025 is free',
    silent: [disk(`${11 * GB}x2000`)],
  },
  {
    alert: 'PosthornDiskFills',
    at: '30h',
    step: LONG_STEP,
    fires: disk(FILLING),
    labels: { ...onDisk, severity: 'warning' },
    summary: 'The disk for the data of mail-1:8025 will be full in 2.75 days at the rate of the last day',
    // A disk without growth, a disk on which space is freed, and the first hours of a disk that fills.
    silent: [disk(`${40 * GB}x2000`), disk(`${GB}+1000x2000`), disk(`_x26 ${FILLING}`)],
  },
  {
    alert: 'PosthornBackupOld',
    at: '49h',
    step: LONG_STEP,
    fires: backup(0),
    labels: { job: 'posthorn', severity: 'warning' },
    summary: 'The last complete backup is 2d 1h 0m 0s old',
    silent: [backup(2 * DAY_S), {}],
  },
  {
    alert: 'PosthornBackupMissing',
    at: '25h',
    step: LONG_STEP,
    fires: environment('production'),
    labels: { job: 'posthorn', severity: 'warning' },
    summary: 'There has never been a backup. To make one, run posthorn backup',
    silent: [environment('development'), { ...environment('production'), ...backup(0) }],
  },
  {
    alert: 'PosthornClockOff',
    at: '10m',
    fires: clock(-3),
    labels: { ...LABELS, severity: 'warning' },
    summary: 'The clock of mail-1:8025 differs from the clock of PostgreSQL by 3s: synchronize it with NTP',
    silent: [clock(1.5)],
  },
  {
    alert: 'PosthornClockWrong',
    at: '10m',
    fires: clock(40),
    labels: { ...LABELS, severity: 'critical' },
    summary: 'mail-1:8025 has stopped serving: its clock differs from the clock of PostgreSQL by 40s',
    silent: [clock(-20)],
  },
  {
    alert: 'PosthornCommitsSlow',
    at: '30m',
    fires: commits('0.25', '0.5'),
    labels: { job: 'posthorn', severity: 'warning' },
    summary: 'Commits take 497.5ms (p99): the disk of PostgreSQL, or a synchronous standby, is slow',
    silent: [commits('0.005', '0.01'), {}],
  },
  {
    alert: 'PosthornNoProvider',
    at: '5m',
    fires: { [`posthorn_provider{${OF},kind="none"}`]: '1x60' },
    labels: { ...LABELS, kind: 'none', severity: 'critical' },
    summary: 'mail-1:8025 sends no mail: POSTHORN_PROVIDER is not set',
    silent: [{ [`posthorn_provider{${OF},kind="direct"}`]: '1x60' }],
  },
  {
    alert: 'PosthornServiceMailStopped',
    at: '20m',
    fires: serviceMail('stopped'),
    labels: { job: 'posthorn', severity: 'critical' },
    summary:
      'Service mail is not sent, so users cannot reset passwords: the DNS records of the domain of POSTHORN_MAIL_FROM are not verified. Run posthorn doctor to see which',
    silent: [serviceMail('ready'), serviceMail('at_risk'), {}],
  },
  {
    alert: 'PosthornServiceMailAtRisk',
    at: '70m',
    fires: serviceMail('at_risk'),
    labels: { job: 'posthorn', severity: 'warning' },
    summary:
      'The domain of POSTHORN_MAIL_FROM has lost DNS records: service mail will stop. Run posthorn doctor to see which',
    silent: [serviceMail('ready'), serviceMail('stopped'), {}],
  },
  {
    alert: 'PosthornNoWorkers',
    at: '10m',
    fires: workers(0, 0),
    labels: { job: 'posthorn', severity: 'critical' },
    summary: 'No worker is running: no mail is sent',
    silent: [workers(1, 0), workers(0, 1)],
  },
];

suite('the alert rules', withPeers, () => {
  for (const { alert, at, fires, labels, summary, silent, step = '1m' } of CASES) {
    test(`${alert} fires for series with the problem, and not for healthy series`, async () => {
      using folder = peerFolder('alerts');
      const promtool = requireProgram('/usr/bin/promtool', 'prometheus');
      const playing = (series: Played, expected: readonly object[]) => ({
        interval: step,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: expected }],
      });
      const file = join(folder.path, 'rules.test.yaml');
      // The rules are written as JSON, which is valid YAML.
      const rules = {
        rule_files: [ALERTS],
        evaluation_interval: step,
        tests: [
          playing(fires, [{ exp_labels: labels, exp_annotations: { summary } }]),
          ...silent.map((series) => playing(series, [])),
        ],
      };
      writeFileSync(file, JSON.stringify(rules));
      const { stdout } = await run(promtool, ['test', 'rules', file]).catch((error: { stdout?: string }) => {
        assert.fail(`${alert}: ${error.stdout}`);
      });
      assert.match(String(stdout), /SUCCESS/);
    });
  }
});
