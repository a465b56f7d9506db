-- Outcomes of deliveries and rollouts as faults with codes, beside their sentences. Rows from before have none.
-- functions: 205d36223973c6f22bc81743ed833a3ef3d92e94b7431843c57a9d160b066f56

ALTER TABLE "delivery_attempts" ADD COLUMN "fault" jsonb;
ALTER TABLE "agent_rollout_agents" ADD COLUMN "fault" jsonb;
ALTER TABLE "agent_rollouts" ADD COLUMN "fault" jsonb;
