package dev.monotick.server.setting;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Which test shows that a setting has its effect: one that fails if the setting had none. Whoever
 * adds a setting adds a line here, and the test before it.
 */
class SettingProofTest {

  private static final String PROOFS =
      """
      monotick.server.port = setting.SettingEffectTest.aReplicaListensWhereItIsTold
      monotick.server.address = setting.SettingEffectTest.aReplicaListensWhereItIsTold
      monotick.server.body-limit = web.RefusalTest.bodiesThatAreTooLargeAreRefused
      monotick.replica.name = operate.OperateTest.aDrainedReplicaTakesNoWorkAndSaysSo
      monotick.database.url = health.HealthTest.aReplicaIsNotReadyWithoutItsDatabaseAndWhileItStops
      monotick.database.username = setting.SettingEffectTest.theDatabaseIsReachedAsIsSet
      monotick.database.password = setting.SettingEffectTest.theDatabaseIsReachedAsIsSet
      monotick.database.schema = setting.SettingEffectTest.theDatabaseIsReachedAsIsSet
      monotick.database.connections = setting.SettingEffectTest.theDatabaseIsReachedAsIsSet
      monotick.database.durable-commits = setting.SettingEffectTest.durabilityIsLeftToTheDatabaseIfThatIsSet
      monotick.data.folder = setting.SettingEffectTest.withoutADatabaseOneIsStartedInTheFolder
      monotick.admin.key = setting.SettingEffectTest.theAdminKeyIsTheOneThatIsSet
      monotick.worker.concurrency = setting.SettingEffectTest.aReplicaRunsSoManyJobsAtATime
      monotick.shutdown.grace = setting.SettingEffectTest.workGoesOnForAsLongAsIsSetAtAStop
      monotick.leadership = engine.EngineSettingsTest.aSecondReplicaIsRefusedWhereThereMayBeOne
      monotick.lease.duration = setting.SettingEffectTest.leasesThatCannotBeAreRefusedBySetting
      monotick.lease.renew-interval = setting.SettingEffectTest.leasesThatCannotBeAreRefusedBySetting
      monotick.lease.renew-timeout = setting.SettingEffectTest.leasesThatCannotBeAreRefusedBySetting
      monotick.lease.margin = setting.SettingEffectTest.leasesThatCannotBeAreRefusedBySetting
      monotick.replica.view-interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.replica.commands-interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.schedules.interval = schedule.ScheduleSettingsTest.loopsRunAsOftenAsTheyAreTold
      monotick.schedules.batch = schedule.ScheduleSettingsTest.aBatchIsOneTransactionAndOldTicksGo
      monotick.schedules.reconcile-interval = schedule.ScheduleSettingsTest.loopsRunAsOftenAsTheyAreTold
      monotick.schedules.retention = schedule.ScheduleSettingsTest.aBatchIsOneTransactionAndOldTicksGo
      monotick.schedules.retention-interval = schedule.ScheduleSettingsTest.loopsRunAsOftenAsTheyAreTold
      monotick.schedules.backfill-limit = schedule.ScheduleApiTest.aBackfillMakesWhatIsMissingAndNoMore
      monotick.quota.active-jobs = tenant.TenantTest.usageSaysHowFullItIs
      monotick.quota.retained-jobs = tenant.TenantTest.usageSaysHowFullItIs
      monotick.quota.agents = tenant.TenantTest.usageSaysHowFullItIs
      monotick.quota.schedules = tenant.TenantTest.usageSaysHowFullItIs
      monotick.quota.queues = tenant.QuotaTest.queuesAreNotMadeUpWithoutEnd
      monotick.quota.queue-depth = tenant.QuotaTest.aFullQueueTakesNoMore
      monotick.job-retention.interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.job-retention.grace = tenant.QuotaTest.theOldestOnRecordAreForgottenOrNewOnesRefused
      monotick.approvals.interval = job.approval.ApprovalTest.othersMayDecideWhenNobodyHasInTime
      monotick.quota.jobs-per-hour = tenant.JobsPerHourTest.itIsChangedLiveAndCountsWhatSchedulesMake
      monotick.statistics.interval = statistics.JobsOverTimeTest.itIsATaskThatOneReplicaRunsAndCountsByItself
      monotick.statistics.minutes = statistics.JobsOverTimeTest.eachResolutionIsKeptForItsTime
      monotick.statistics.hours = statistics.JobsOverTimeTest.eachResolutionIsKeptForItsTime
      monotick.statistics.days = statistics.JobsOverTimeTest.eachResolutionIsKeptForItsTime
      monotick.alert.dead-letters = health.DeadLetterTest.whoHasTooManyIsToldOnceAndAgainWhenItHappensAgain
      monotick.idempotency.retention = setting.SettingEffectTest.oldIdempotencyKeysAreForgotten
      monotick.idempotency.cleanup-interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.audit.verification-interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.audit.full-verification-interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.audit.retention = audit.AuditTest.retentionRemovesOnlyWhatWasVerifiedAndKeepsTheChain
      monotick.audit.retention-interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.audit.engine-interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.rate-limit.key.read = ratelimit.RateLimitTest.neverMoreThanTheLimitOverAllReplicas
      monotick.rate-limit.key.write = setting.SettingEffectTest.limitsOfKeysAndTenantsAreWhatIsSet
      monotick.rate-limit.key.create = ratelimit.RateLimitTest.aRefusalSaysWhenToComeBack
      monotick.rate-limit.tenant.read = setting.SettingEffectTest.limitsOfKeysAndTenantsAreWhatIsSet
      monotick.rate-limit.tenant.write = ratelimit.RateLimitTest.tenantsHaveLimitsOfTheirOwn
      monotick.rate-limit.tenant.create = setting.SettingEffectTest.limitsOfKeysAndTenantsAreWhatIsSet
      monotick.rate-limit.on-outage = ratelimit.RateLimitTest.whenNobodyCanCountItIsAsTheOperatorSaid
      monotick.rate-limit.cleanup-interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.authentication.failures = access.AuthenticationTest.whoGuessesWaitsLongerAndLonger
      monotick.oidc.issuer = access.AuthenticationTest.aTokenOfTheIssuerIsAsGoodAsAKey
      monotick.oidc.jwk-set-uri = access.AuthenticationTest.aTokenOfTheIssuerIsAsGoodAsAKey
      monotick.oidc.audience = access.AuthenticationTest.aTokenOfTheIssuerIsAsGoodAsAKey
      monotick.oidc.tenant-claim = access.AuthenticationTest.aTokenOfTheIssuerIsAsGoodAsAKey
      monotick.oidc.role-claim = access.AuthenticationTest.aTokenOfTheIssuerIsAsGoodAsAKey
      monotick.tls.certificate = web.TlsTest.aCertificateAndItsKeyAreAllItTakes
      monotick.tls.key = web.TlsTest.aCertificateAndItsKeyAreAllItTakes
      monotick.server.forwarded-headers = web.ForwardedTest.clientsOfATrustedProxyAreToldApart
      monotick.prometheus.open = health.MetricsTest.metricsAreForThoseWhoMaySeeAllTenants
      monotick.log.format = setting.ConfigurationTest.settingsAreShownWithTheirSourceAndWithoutSecretsEvenInLogs
      monotick.shutdown.announce = health.HealthTest.aReplicaIsNotReadyWithoutItsDatabaseAndWhileItStops
      monotick.health.leaderless = health.LeaderlessTest.noLeaderForTooLongIsToldByEveryReplicaAndEnds
      monotick.health.late = health.HealthTest.aReplicaIsNotReadyWithoutItsDatabaseAndWhileItStops
      monotick.metrics.interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.events.clients = event.EventTest.whatIsWrongIsRefused
      monotick.events.interval = setting.SettingEffectTest.loopsRunAsOftenAsIsSet
      monotick.events.heartbeat = event.EventTest.whatChangesOnOneReplicaIsToldOnAnother
      monotick.events.longest = setting.SettingEffectTest.whoListensToEventsHasToConnectAnewAfterAWhile
      monotick.tracing.endpoint = trace.TracingSettingsTest.aCollectorThatWantsAKeyGetsIt
      monotick.tracing.sample = trace.TracingSettingsTest.asManyTracesAreSentAsIsSet
      monotick.tracing.headers = trace.TracingSettingsTest.aCollectorThatWantsAKeyGetsIt
      monotick.server.trusted-proxies = web.ForwardedTest.aHeaderOfOneWhoIsNotTrustedIsIgnored
      monotick.http.allow-private = execution.HttpJobTest.privateAddressesAreNotCalled
      monotick.http.allow = execution.HttpJobTest.aCallSaysWhatItIsFor
      monotick.http.timeout = execution.HttpJobTest.slowServicesAreCutOff
      monotick.http.connect-timeout = execution.HttpCallerTest.connectionsAreWaitedForOnlySoLong
      monotick.http.response-limit = execution.HttpCallerTest.aLongAnswerIsCut
      monotick.http.redirects = execution.HttpCallerTest.redirectsAreFollowedSoFarAndHearNoSecretsElsewhere
      monotick.public.url = execution.HttpJobTest.aServiceMayAnswerLater
      monotick.callback.timeout = execution.HttpJobTest.aCallThatNobodyEndsFailsItsAttempt
      monotick.secret.key = execution.HttpJobTest.keysOfSecretsCanBeRotated
      monotick.remote.interval = agent.AgentSettingsTest.loopsRunAsOftenAsIsSet
      monotick.remote.retention = agent.AgentSettingsTest.whatEndedIsRememberedOnlySoLong
      monotick.agents.silence = agent.AgentTest.workOfASilentAgentIsHandedOnAndTheOldLeaseIsGoodForNothing
      monotick.agents.lease = agent.AgentTest.aLeaseThatItsAgentForgotLapses
      monotick.agents.health-interval = agent.AgentSettingsTest.loopsRunAsOftenAsIsSet
      monotick.agents.poll-interval = agent.AgentSettingsTest.agentsThatWaitAreLookedAfterAsOftenAsIsSet
      monotick.agents.losses = agent.AgentSettingsTest.workIsLostOnlySoOften
      monotick.agents.pickup = agent.AgentSettingsTest.workWaitsForAnAgentOnlySoLong
      monotick.command.enabled = execution.CommandTest.onlyListedCommandsRunAndOnlyIfSwitchedOn
      monotick.command.allow = execution.CommandTest.onlyListedCommandsRunAndOnlyIfSwitchedOn
      monotick.command.output-limit = execution.CommandTest.anExitCodeDecidesAndOutputIsCut
      """;

  private static Map<String, String> proofs() {
    return PROOFS
        .lines()
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.indexOf(" = ")),
                line -> line.substring(line.indexOf(" = ") + 3),
                (one, two) -> one,
                LinkedHashMap::new));
  }

  @Test
  void everySettingHasATestThatShowsItsEffect() {
    assertThat(proofs().keySet())
        .containsExactlyInAnyOrderElementsOf(
            SettingCatalog.ALL.stream().map(Setting::name).toList());
  }

  @Test
  void thoseTestsAreThere() throws ClassNotFoundException {
    for (String proof : proofs().values()) {
      int dot = proof.lastIndexOf('.');
      Class<?> test = Class.forName("dev.monotick.server." + proof.substring(0, dot));
      Method[] methods = test.getDeclaredMethods();
      assertThat(methods)
          .as(proof)
          .anyMatch(
              each ->
                  each.getName().equals(proof.substring(dot + 1))
                      && each.isAnnotationPresent(Test.class));
    }
  }
}
